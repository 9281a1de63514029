// Idea: in phases, each rank asks its sources for the bytes that it has free space for, and sending makes
//   free space. A little memory in addition to the buffer takes data that there is no free space for.
// Cost: a phase is a request of 8 bytes to every source that is not done, then the data: 2 * alpha +
//   beta * data. With requests of alltoall: what the MPI library's MPI_Alltoall takes, then the data. One
//   phase where nothing is in the way; about (bytes in the way) / auxiliary_bytes phases where everything is.
// Needs: send blocks that do not overlap each other, and receive blocks that do not overlap each other. Send
//   blocks may overlap receive blocks in any way.
// Departs: requests are single messages, with a mark on the last request; from 1,024 ranks on they are an
//   MPI_Alltoall, the paper's an MPI_Alltoallv, and a mark says who needs another phase. There are no more
//   auxiliary buffers than ranks or bytes. A rank serves sources by distance, so that the auxiliary buffers
//   of different ranks serve different sources. Joining moves no more bytes than it frees, unless subsets run
//   out (IndexSets::join). The own block goes to its place in one move, as soon as no other data lies there.
//   Requests in messages, and data, go to at most Wire::batch() partners at once.
// Source: in-place paper (irregular all-to-all with limited memory), section 3, algorithm 1.
#include "algorithms/patterns/batches.hpp"
#include "in_place/incoming.hpp"
#include "in_place/requests.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

// Why it ends. A phase in which any rank asks for anything moves data, and every byte is sent once. So it
// could only go on for ever if at some point no rank could ask for anything. Then no rank has free space:
// the places that are left in its receive sets, without the places of the bytes that wait in auxiliary
// buffers, are full of bytes still to be sent. Summed over all ranks, the bytes still to be sent are as many
// as the bytes still to be received, and these are the places that are left without the places of the
// waiting bytes. So no byte waits: the auxiliary buffers are empty, and any rank that still has to receive
// can ask after all. The own block counts like any other. A rank that is alone has no auxiliary buffer and
// settles its block at once.
//
// Why nobody waits for ever. Two ranks agree on the bytes left between them, |S_i| on one rank and |R_j| on
// the other. Both exchange requests in each of their phases until no byte is left. Where all ranks exchange
// requests at once, all have as many phases: until no rank has bytes left to receive, so none has to send.
class InPlace {
  public:
    InPlace(const Exchange& exchange, Context& context, const InPlaceLayout& layout)
        : exchange_(exchange), group_(exchange.group), wire_(context.wire),
          sends_(context.workspace.take_array<SendSet>(layout.ranks)),
          receives_(context.workspace.take_array<ReceiveSet>(layout.ranks)),
          sets_(sends_, receives_, context.workspace.take_array<SendSubset>(layout.subsets),
                context.workspace.take_array<int>(layout.order)),
          incoming_(group_, context, sets_, layout),
          parts_(context.workspace.take_array<Part>(layout.subsets)), requests_(group_, context, layout) {}

    Status run() {
        if (!init()) return Fault::unordered; // an erroneous call: no order of moves is right
        wire_.enter(Phase::update);
        incoming_.update();
        for (bool goes_on = requests_.is_collective() || something_is_left(); goes_on;) { // line 3
            determine();                                                                  // line 4
            if (const Status requests = exchange_requests(); !requests.ok()) {
                return requests; // without the requests no rank knows what to send
            }
            exchange_data();
            wire_.enter(Phase::update);
            incoming_.update(); // line 11
            goes_on =
                requests_.is_collective() ? requests_.some_rank_needs_another_phase() : something_is_left();
        }
        if (something_is_left()) status_.keep(Fault::truncated); // the counts of the ranks differ
        return status_;
    }

  private:
    template <typename T>
    static T& at(std::span<T> list, int rank) {
        return list[static_cast<std::size_t>(rank)];
    }
    bool something_is_left() const {
        for (int peer = 0; peer < group_.size; ++peer) {
            if (sets_.left_to_send(peer) > 0 || incoming_.left(peer) > 0) return true;
        }
        return false;
    }

    // Section 3.2.
    bool init() {
        for (int peer = 0; peer < group_.size; ++peer) {
            // Bytes that lie in a receive block are moved. All other bytes are only read.
            auto* const data = const_cast<std::byte*>(exchange_.send_to(peer));
            at(sends_, peer) = {.whole = {data, exchange_.send_size(peer)}};
            at(receives_, peer) = {.places = {exchange_.recv_from(peer), exchange_.recv_size(peer)}};
        }
        std::size_t& out = at(sends_, group_.rank).whole.size;
        std::size_t& in = at(receives_, group_.rank).places.size;
        if (out > in) status_ = Fault::truncated;
        out = in = std::min(out, in);
        return sets_.split();
    }

    void determine() {
        for (int distance = 1; distance <= group_.size; ++distance) {
            const int source = group_.down(distance);
            requests_.to(source) = incoming_.determine(source);
        }
        if (requests_.is_collective() && something_is_left_to_receive()) requests_.mark_another_phase();
    }
    bool something_is_left_to_receive() const {
        for (int source = 0; source < group_.size; ++source)
            if (incoming_.left(source) > 0) return true;
        return false;
    }

    // The partners at the distances of a batch. A send and its receive lie in the same batch.
    patterns::Batch first_batch() const { return {group_.size, wire_.batch()}; }

    // Lines 5 to 7, with each partner that has bytes left to send or to receive, or with all ranks.
    Status exchange_requests() {
        wire_.enter(Phase::metadata);
        return requests_.run([&](int destination) { return sets_.left_to_send(destination) > 0; },
                             [&](int source) { return incoming_.asks(source); });
    }

    // Lines 8 to 10. Data arrives only at places without bytes to be sent, so the own
    // block can move meanwhile, and what later batches send lies where it was.
    void exchange_data() {
        wire_.enter(Phase::data);
        patterns::Batch batch = first_batch();
        start_data(batch);
        incoming_.copy_own();
        status_.keep(wire_.wait_all());
        for (batch.advance(); batch.valid(); batch.advance()) {
            start_data(batch);
            status_.keep(wire_.wait_all());
        }
    }
    void start_data(const patterns::Batch& batch) {
        for (int distance = batch.first(); distance < batch.last(); ++distance)
            incoming_.receive(group_.down(distance));
        for (int distance = batch.first(); distance < batch.last(); ++distance) {
            const int destination = group_.up(distance);
            if (sets_.left_to_send(destination) > 0) send(destination);
        }
    }

    void send(int destination) {
        const Request request = requests_.from(destination);
        const std::size_t left = sets_.left_to_send(destination);
        const std::size_t asked = std::min(left, request.bytes());
        PartList parts(parts_);
        sets_.take_first(destination, asked, [&](Interval data) { parts.add({data.begin, data.size}); });
        wire_.send_parts(destination, parts.take());
        if (request.is_last() != (asked == left)) { // the counts of the two ranks differ
            status_.keep(Fault::truncated);
            sets_.take_first(destination, left - asked, [](Interval) {});
        }
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
    const std::span<SendSet> sends_;
    const std::span<ReceiveSet> receives_;
    IndexSets sets_;
    Incoming incoming_;
    const std::span<Part> parts_; // of one message
    RequestExchange requests_;
    Status status_;
};

} // namespace

Status in_place(const Exchange& exchange, Context& context) {
    const int ranks = exchange.group.size;
    if (!context.workspace.has(in_place_scratch_bytes(ranks, exchange.max_block, context.parameters))) {
        return Fault::no_memory;
    }
    return InPlace(exchange, context, in_place_layout(ranks, context.parameters)).run();
}

} // namespace switchyard::algorithms::alltoallv
