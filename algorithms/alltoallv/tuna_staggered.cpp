// Idea: TuNA inside each node, then each block for another node goes to its destination
//   in a message of its own.
// Cost: inside the node TuNA of Q ranks with bundles of N blocks; between nodes (N - 1) Q messages of one
//   block for each rank, in ceil((N - 1) Q / block_count) waits.
// Needs: direct_from, or the largest block, agreed by all ranks; any number of ranks on each
//   node, wherever they are.
// Departs: where nodes differ, as tuna_coalesced does. Batches then count the (distance, local source) pairs
//   of the largest node, so that both sides cut them alike. Blocks of no bytes send no message. With
//   direct_from each message begins with the size of its block. intra=shared copies the bundles through the
//   node's memory and sends no message inside the node. At most Wire::batch() sends are under way at once.
// Source: TuNA paper, section IV, algorithm 2.
#include "algorithms/forwarding/tuna/node_bundles.hpp"
#include "tuna_staggered_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

using forwarding::deliver_block;
using forwarding::NodeBundles;
using forwarding::NodeBundlesSchedule;

template <typename Size>
class Staggered {
  public:
    Staggered(const Exchange& exchange, Context& context, const NodeBundles<Size>& bundles)
        : exchange_(exchange), map_(*exchange.group.node_map), bundles_(bundles), wire_(context.wire),
          layout_(map_.nodes(), map_.largest(), exchange.max_block, context.parameters),
          size_bytes_(exchange.direct == nullptr ? 0 : sizeof(Size)),
          incoming_(context.workspace.take(layout_.at_once * layout_.message_bytes).data()) {}

    Status run() { // lines 2 to 18
        Status status;
        const std::int64_t local = map_.largest(), all = (map_.nodes() - 1) * local;
        const auto at_once = static_cast<std::int64_t>(layout_.at_once);
        for (std::int64_t begin = 0; begin < all; begin += at_once) {
            const std::int64_t end = std::min(begin + at_once, all);
            wire_.enter(Phase::inter);
            status.keep(exchange_batch(begin, end, Share::first));
            if (layout_.message_bytes > wire_.limit()) status.keep(exchange_batch(begin, end, Share::rest));
            if (size_bytes_ == 0) continue;
            wire_.enter(Phase::rearrange);
            for_each_incoming(begin, end, [&](int source, std::byte* message) {
                deliver_block<Size>(exchange_, source, message, SaidSizes(exchange_), status);
            });
        }
        return status;
    }

  private:
    // Only its sender knows the length of a message with a size, and both sides must split the message alike.
    // So the bytes over the limit travel once the receiver has read the size.
    enum class Share : std::uint8_t { first, rest };

    Status exchange_batch(std::int64_t begin, std::int64_t end, Share share) {
        for_each_incoming(begin, end,
                          [&](int source, std::byte* message) { receive(source, message, share); });
        // A rank of a small node sends to several ranks of a larger one, so there may be more sends than
        // receives. Every rank starts its receives of the batch first, so each send finds its receiver.
        int started = 0;
        for_each_outgoing(begin, end, [&](int destination, const Part& block) {
            send(destination, block, share);
            if (++started % wire_.batch() == 0) wire_.wait_for_sends();
        });
        const Status status = wire_.wait_all();
        if (!status.ok() && size_bytes_ > 0) // sizes that did not arrive must not be read
            std::memset(incoming_, 0, layout_.at_once * layout_.message_bytes);
        return status;
    }

    // Calls visit(source, room for its message) for the blocks that come to this rank in a batch.
    template <typename Visitor>
    void for_each_incoming(std::int64_t begin, std::int64_t end, Visitor&& visit) const {
        for (std::int64_t i = begin; i < end; ++i) {
            const int node = bundles_.carriers().node_down(static_cast<int>(i / map_.largest()) + 1);
            const auto local_source = static_cast<int>(i % map_.largest());
            if (local_source < map_.size_of(node))
                visit(map_.rank_of(node, local_source),
                      incoming_ + static_cast<std::size_t>(i - begin) * layout_.message_bytes);
        }
    }
    // Calls visit(destination, block) for the blocks that this carrier sends in a batch.
    template <typename Visitor>
    void for_each_outgoing(std::int64_t begin, std::int64_t end, Visitor&& visit) const {
        const auto destinations = bundles_.destinations();
        std::size_t first = 1; // destination 0 is this rank
        for (std::int64_t i = begin; i < end; ++i) {
            const int distance = static_cast<int>(i / map_.largest()) + 1;
            const auto local_source = static_cast<int>(i % map_.largest());
            while (first < destinations.size() && destinations[first].distance < distance) ++first;
            if (local_source >= bundles_.shape().ranks) continue;
            for (std::size_t k = first; k < destinations.size() && destinations[k].distance == distance; ++k)
                visit(destinations[k].rank, bundles_.block(k, local_source));
        }
    }

    void receive(int source, std::byte* message, Share share) {
        const int carrier = bundles_.carriers().carrier_on(map_.node_of(source), exchange_.group.rank);
        if (size_bytes_ == 0)
            wire_.receive(carrier, exchange_.recv_from(source), exchange_.recv_size(source));
        else if (share == Share::first)
            wire_.receive(carrier, message, std::min(layout_.message_bytes, wire_.limit()));
        else if (const std::size_t bytes = message_bytes(patterns::size_at<Size>(message));
                 bytes > wire_.limit())
            wire_.receive(carrier, message + wire_.limit(), bytes - wire_.limit());
    }
    void send(int destination, const Part& block, Share share) {
        const std::byte* const message = block.data - size_bytes_;
        const std::size_t bytes = message_bytes(block.bytes);
        if (size_bytes_ == 0)
            wire_.send(destination, message, bytes);
        else if (share == Share::first)
            wire_.send(destination, message, std::min(bytes, wire_.limit()));
        else if (bytes > wire_.limit())
            wire_.send(destination, message + wire_.limit(), bytes - wire_.limit());
    }
    std::size_t message_bytes(std::size_t said) const { return size_bytes_ + exchange_.bytes_of(said); }

    const Exchange& exchange_;
    const NodeMap& map_;
    const NodeBundles<Size>& bundles_;
    Wire& wire_;
    const StaggeredLayout layout_;
    const std::size_t size_bytes_; // of the size before a block; 0: no sizes travel between nodes
    std::byte* const incoming_;    // the messages of a batch that have sizes
};

} // namespace

std::unique_ptr<Schedule> tuna_staggered_schedule(const Group& group, const Parameters& parameters) {
    return std::make_unique<forwarding::NodeBundlesSchedule>(group, parameters);
}

Status tuna_staggered(const Exchange& exchange, Context& context) {
    return forwarding::exchange_by_bundles(
        exchange, context, staggered_between_bytes,
        [](const Exchange& forwarded, Context& means, const auto& bundles) {
            return Staggered(forwarded, means, bundles).run();
        });
}

} // namespace switchyard::algorithms::alltoallv
