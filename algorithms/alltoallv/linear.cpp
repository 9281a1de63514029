// Idea: sends every block directly to its destination, all at once, in ascending order of ranks.
// Cost: P - 1 messages for each rank in one wait: alpha * (P - 1) + beta * (bytes sent). All
//   ranks start with rank 0.
// Needs: nothing.
// Departs: at most Wire::batch() sends and as many receives are under way at once. In Open MPI their number
//   has no limit.
// Source: TuNA paper, section II(d), Open MPI's linear; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

// The transfers of one side, by ascending peers. Each that is over makes room for the next.
//
// Why nothing blocks for ever. Batches of ascending ranks would: a send and its receive lie in different
// batches. Here assume that ranks are stuck. Of the unfinished transfers look at one from p to q with the
// smallest p + q. All earlier sends of p and all earlier receives of q have smaller sums, so they are over,
// and both p and q have started the transfer. Such a transfer ends in any case.
class Ascending {
  public:
    explicit Ascending(int ranks) : ranks_(ranks) {}

    bool is_spent() const { return next_ == ranks_; }
    // Calls start_one(peer) until as many transfers more are under way. The own block, blocks of no bytes and
    // transfers that cannot be started do not get under way.
    template <typename Start>
    void start(int transfers, const Wire& wire, Start&& start_one) {
        while (transfers > 0 && !is_spent()) {
            const std::size_t before = wire.under_way();
            start_one(next_++);
            if (wire.under_way() > before) --transfers;
        }
    }

  private:
    int ranks_, next_ = 0;
};

} // namespace

Status linear(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    Wire& wire = context.wire;
    const auto receive_from = [&](int source) {
        if (source != group.rank)
            wire.receive(source, exchange.recv_from(source), exchange.recv_size(source));
    };
    const auto send_to = [&](int destination) {
        if (destination != group.rank)
            wire.send(destination, exchange.send_to(destination), exchange.send_size(destination));
    };
    Status status = copy_own_block(exchange);
    Ascending receives(group.size), sends(group.size);
    receives.start(wire.batch(), wire, receive_from);
    sends.start(wire.batch(), wire, send_to);
    while (!receives.is_spent() || !sends.is_spent()) {
        const auto over = wire.wait_any();
        if (!over || over->sent) sends.start(1, wire, send_to);
        if (!over || !over->sent) receives.start(1, wire, receive_from);
    }
    status.keep(wire.wait_all());
    return status;
}

} // namespace switchyard::algorithms::alltoallv
