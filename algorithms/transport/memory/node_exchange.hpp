// An exchange of blocks, from each rank of the node to each other rank. Each block goes one of these ways.
// Its slice in the notice of its sender w says which:
//
//   notice of w:  epoch | slices: one for each rank | near | places: one for each
//
//   slice of r             the block of w for r
//   {place, bytes}         lies in w's section: next to the notice, or in the ring
//   {0, 0}                 is empty
//   {direct, 0}            comes as a message of the algorithm: a direct block
//   {0, stream}            goes through slots, or r reads it from w's memory by CMA: its place says which
//
//   word                           written by  when                          order
//   slices, places, bytes          w           between next() and enter()    plain; the epoch releases them
//   what goes in streams           w, r        node_streams.hpp, node_offers.hpp
//
// A rank waits only for the ranks from which it expects something. It meets the other ranks before the next
// epoch: a block that it then finds for itself is an error of the program, or a mark.
#pragma once

#include "node_epochs.hpp"
#include "node_streams.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::algorithms {

class NodeExchange {
  public:
    // `cores`: the number of cores that the ranks of the node share.
    NodeExchange(const Group& group, const section::Layout& layout, int cores);
    NodeExchange(const NodeExchange&) = delete;
    NodeExchange& operator=(const NodeExchange&) = delete;

    // What an exchange goes through, and a gather as well. They are members, since a call of few bytes feels
    // each address that must be read first.
    NodeEpochs& epochs() { return epochs_; }
    const NodeEpochs& epochs() const { return epochs_; }
    NodeStreams& streams() { return streams_; }
    const NodeStreams& streams() const { return streams_; }

    // Before an epoch of any kind: waits for the ranks that the last exchange did not wait for. False: the
    // window is broken.
    bool is_ready() {
        streams_.end_last();
        return !epochs_.is_broken() && (unmet_.empty() || meet_the_rest());
    }
    // Blocks by local rank, in a form of node_blocks.hpp. With `in_place` both sides are one: each block lies
    // where the block of its destination arrives, and has the same size.
    template <typename Sent, typename Received>
    Status exchange(const Sent& sent, const Received& received, bool in_place);
    // The two halves of exchange(). Writes the blocks of this rank, before it enters the epoch.
    template <typename Sent>
    void write_blocks(const Sent& sent, const section::Notice& own, bool in_place);
    // Takes the blocks for this rank, after it has entered the epoch.
    template <typename Sent, typename Received>
    Status finish(const Sent& sent, const Received& received, bool in_place);

  private:
    template <typename Sent, typename Received>
    Status copy_own(const Sent& sent, const Received& received);
    template <typename Sent, typename Received>
    Status read_blocks(const Sent& sent, const Received& received, bool in_place);
    bool meet_the_rest();
    // Meets each other rank of the node that is needed, once it has entered the epoch. False: one such
    // rank never will.
    template <typename IsNeeded, typename Meet>
    bool meet_all(IsNeeded&& is_needed, Meet&& meet, bool in_place);
    template <typename Received>
    Status meet_block(const Received& received, int source, bool in_place);
    template <typename Received>
    Status read_block(const Received& received, int source, const std::byte* block, std::size_t bytes);
    template <typename Received>
    void meet_stream(const Received& received, int source, const section::StreamPlace& place, bool in_place);
    template <typename Received>
    Status run_streams(const Received& received, bool in_place);

    NodeEpochs epochs_;
    NodeStreams streams_;
    std::vector<int> awaited_, unmet_; // local ranks: needed in this epoch, and before the next
    bool is_late_ = false; // in place: a block waits until this rank's own block is out of its place
};

template <typename Sent, typename Received>
Status NodeExchange::exchange(const Sent& sent, const Received& received, bool in_place) {
    if (!is_ready()) return Fault::lost;
    if (epochs_.sections().size() > 1) {
        const section::Notice own = epochs_.next();
        write_blocks(sent, own, in_place);
        epochs_.enter(own);
    }
    return finish(sent, received, in_place);
}

// What the loop needs is in local variables: to the compiler, a copied byte could change a member.
template <typename Sent>
void NodeExchange::write_blocks(const Sent& sent, const section::Notice& own, bool in_place) {
    NodeStreams& streams = streams_;
    NodeRoom& room = epochs_.room();
    const NodeSections& sections = epochs_.sections();
    std::byte* const section = sections.own();
    streams.clear_out();
    for (const int local : sections.others()) {
        const std::size_t size = sent.size(local);
        section::Slice& slice = own.slices[local];
        if (sent.is_direct(size)) {
            slice = {section::Slice::direct, 0};
        } else if (size == 0) {
            slice = {0, 0};
        } else if (const std::size_t place = (!in_place && streams.offers().is_for_reading(size) &&
                                              streams.offers().can_be_read_by(local)) ||
                                                     streams.is_for_slots(size)
                                                 ? 0
                                                 : room.place_for(size)) [[likely]] {
            streams.offers().timed(NodeRates::Copy::in, size, size,
                                   [&] { streams.copies().write(section + place, sent.at(local), size); });
            slice = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(size)};
        } else { // a stream out is only read, like all that is sent
            streams.send({.local = local, .data = const_cast<std::byte*>(sent.at(local)), .bytes = size});
        }
    }
    if (!streams.out().empty()) [[unlikely]]
        streams.lay_out(own, in_place);
}

template <typename Sent, typename Received>
Status NodeExchange::finish(const Sent& sent, const Received& received, bool in_place) {
    Status status = read_blocks(sent, received, in_place);
    if (epochs_.is_broken()) [[unlikely]]
        streams_.offers().withdraw(streams_.out());
    streams_.earn_pages();
    epochs_.pass_time();
    return status;
}

template <typename Sent, typename Received>
Status NodeExchange::read_blocks(const Sent& sent, const Received& received, bool in_place) {
    Status status;
    if (!in_place) status = copy_own(sent, received);
    streams_.clear_in();
    const auto is_needed = [&](int source) { return received.size(source) > 0 || received.hears_all(); };
    const auto meet = [&](int source) { status.keep(meet_block(received, source, in_place)); };
    if (!meet_all(is_needed, meet, in_place)) return Fault::lost;
    if (!streams_.are_none()) [[unlikely]]
        status.keep(run_streams(received, in_place));
    return status;
}

// Ranks that have come do not wait for a rank that has not: it may come only after one of them has returned.
// So streams go on meanwhile.
template <typename IsNeeded, typename Meet>
bool NodeExchange::meet_all(IsNeeded&& is_needed, Meet&& meet, bool in_place) {
    awaited_.clear();
    for (const int source : epochs_.sections().others()) {
        if (epochs_.has_entered(source))
            meet(source);
        else
            (is_needed(source) ? awaited_ : unmet_).push_back(source);
    }
    for (int looks = 0; !awaited_.empty();) {
        const auto came = std::erase_if(awaited_, [&](int source) {
            if (!epochs_.has_entered(source)) return false;
            meet(source);
            return true;
        });
        if (came > 0 || streams_.serve_pairs(in_place).some)
            looks = 0;
        else if (!epochs_.rest(looks, NodeRest::Others::may_compute))
            return false;
    }
    return true;
}

// Meets the block of a rank that has entered the epoch.
template <typename Received>
Status NodeExchange::meet_block(const Received& received, int source, bool in_place) {
    std::byte* const section = epochs_.sections().of(source);
    const section::Notice notice = epochs_.notice_in(section);
    const int rank = epochs_.sections().rank();
    const section::Slice slice = notice.slices[rank];
    if (slice.begin == section::Slice::direct)
        received.meets_mark(source);
    else if (slice.bytes == section::Slice::stream) [[unlikely]]
        meet_stream(received, source, notice.places[rank], in_place);
    else if (in_place && !streams_.out().empty() && streams_.has_stream_to(source)) [[unlikely]]
        is_late_ = true;
    else
        return read_block(received, source, section + slice.begin, slice.bytes);
    return {};
}

template <typename Sent, typename Received>
Status NodeExchange::copy_own(const Sent& sent, const Received& received) {
    const int rank = epochs_.sections().rank();
    const std::size_t size = sent.size(rank), room = received.size(rank);
    if (const std::size_t bytes = std::min(size, room); bytes > 0)
        streams_.copies().keep(received.at(rank), sent.at(rank), bytes);
    return fits(size, room);
}

template <typename Received>
Status NodeExchange::read_block(const Received& received, int source, const std::byte* block,
                                std::size_t bytes) {
    received.meets(source, bytes);
    if (bytes == 0) return {};
    if (bytes > received.size(source)) return Fault::truncated;
    streams_.offers().timed(NodeRates::Copy::out, bytes, bytes,
                            [&] { copy_bytes(received.at(source), block, bytes); });
    return {};
}

template <typename Received>
void NodeExchange::meet_stream(const Received& received, int source, const section::StreamPlace& place,
                               bool in_place) {
    received.meets(source, place.bytes);
    const std::size_t room = received.size(source);
    const bool has_room = room >= place.bytes;
    if (!has_room) streams_.offers().refuse(source);
    Stream& stream = streams_.receive({.local = source,
                                       .data = room > 0 ? received.at(source) : nullptr,
                                       .bytes = place.bytes,
                                       .begin = place.begin,
                                       .slot_bytes = place.slot_bytes,
                                       .slots = place.slots,
                                       .room = room,
                                       .from = has_room ? place.from : 0,
                                       .proof = place.proof,
                                       .is_offered = has_room && place.shown_or_offered != 0});
    // At once: the rank that offers it may be needed before another rank comes.
    if (stream.is_offered && !in_place)
        while (streams_.offers().read(stream)) {
        }
}

template <typename Received>
Status NodeExchange::run_streams(const Received& received, bool in_place) {
    streams_.begin_reading(in_place);
    const auto through_slots = [&] { return streams_.serve_pairs(in_place); };
    Status status = streams_.serve(through_slots);
    streams_.end_reading();
    for (const Stream& stream : streams_.in())
        if (stream.room < stream.bytes) status.keep(Fault::truncated);
    if (!is_late_ || epochs_.is_broken()) return status;
    // In place: blocks that came in the epoch, for places whose own blocks went out by streams.
    is_late_ = false;
    for (const Stream& stream : streams_.out()) {
        const section::Notice notice = epochs_.notice(stream.local);
        const section::Slice slice = notice.slices[epochs_.sections().rank()];
        if (slice.bytes != section::Slice::stream)
            status.keep(read_block(received, stream.local, epochs_.sections().of(stream.local) + slice.begin,
                                   slice.bytes));
    }
    return status;
}

} // namespace switchyard::algorithms
