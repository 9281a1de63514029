// The streams of an exchange. Bytes that an epoch has no room for go piece by piece: through slots in their
// writer's section, or their reader takes them from the writer's own memory. A rank serves all of its streams
// in turn, so a rank that the system took off its core holds up only its own streams.
//
//   notice of writer w:  ... | slices: for r {0, stream} | near | places: for r {bytes, slots, from, proof}
//   ring of w:           epoch n - 1 | epoch n | free: slots of the stream to r | of the stream to s | ...
//
//   word                          written by  when                           order
//   slice and place of a stream   w           before it enters the epoch     plain; the epoch releases them
//   bytes of a slot               w           while it is free               plain; node_slots.hpp
//   counts                        w, r        node_slots.hpp, node_offers.hpp
//
// The streams of a rank share the free area of its ring evenly. The rank writes their slots after it has
// entered the epoch: nobody reads a slot before a count says that it is filled.
#pragma once

#include "node_copies.hpp"
#include "node_epochs.hpp"
#include "node_offers.hpp"
#include "node_slots.hpp"
#include "node_stream.hpp"

#include <cstddef>
#include <vector>

namespace switchyard::algorithms {

class NodeStreams {
  public:
    // `cores`: the number of cores that the ranks of the node share.
    NodeStreams(NodeEpochs& epochs, int cores);
    NodeStreams(const NodeStreams&) = delete;
    NodeStreams& operator=(const NodeStreams&) = delete;

    NodeCopies& copies() { return copies_; }
    const NodeCopies& copies() const { return copies_; }
    NodeSlots& slots() { return slots_; }
    NodeOffers& offers() { return offers_; }
    const NodeOffers& offers() const { return offers_; }

    // The streams of this exchange, from this rank and to it.
    const std::vector<Stream>& out() const { return out_; }
    const std::vector<Stream>& in() const { return in_; }
    bool are_none() const { return out_.empty() && in_.empty(); }
    void send(const Stream& stream) { out_.push_back(stream); }
    Stream& receive(const Stream& stream) { return in_.emplace_back(stream); }
    void clear_out() { out_.clear(); }
    void clear_in() { in_.clear(); }

    // In a short ring, a large block that comes in the epoch leaves little room for the streams of
    // the other blocks.
    bool is_for_slots(std::size_t bytes) const {
        return bytes >= Stream::most_slot_bytes && epochs_.rests().is_crowded() &&
               bytes * static_cast<std::size_t>(epochs_.sections().size() - 1) >
                   epochs_.sections().layout().capacity;
    }
    // Gives slots to all streams from this rank, and says so in its notice.
    void lay_out(const section::Notice& own, bool in_place);
    bool has_stream_to(int local) const;

    // From now on slots are read. In place, the places of the blocks are in the caches already.
    void begin_reading(bool in_place);
    void end_reading() { copies_.end_streams(); }
    // One turn through the streams from one rank to another.
    Served serve_pairs(bool in_place);
    // The same for all streams, with write(stream) and read(stream).
    template <typename Write, typename Read>
    Served serve_each(Write&& write, Read&& read);
    // Calls turn(), which serves each stream once, until all streams are over. Where no stream could be
    // served, this rank rests.
    template <typename Turn>
    Status serve(Turn&& turn);
    bool write_slot(Stream& stream);
    // copy(stream): takes the bytes of the slot.
    template <typename Copy>
    bool empty_slot(Stream& stream, Copy&& copy);

    // Call it if this rank fills slots in this exchange.
    void note_filled() { may_be_filled_ = true; }
    // Call it before the next epoch: waits until the readers have emptied these slots.
    void end_last() {
        if (may_be_filled_) [[unlikely]]
            wait_for_readers();
    }
    // Call it after an exchange.
    void earn_pages() {
        if (epochs_.room().lacks_pages() && (epochs_.room().used() > 0 || !out_.empty())) [[unlikely]]
            earn_some_pages();
    }

  private:
    void wait_for_readers();
    void grow_room(bool in_place);
    bool may_cover(const Stream& arriving, std::uint64_t end) const;
    bool read_slot(Stream& stream, bool in_place);
    void earn_some_pages();

    NodeEpochs& epochs_;
    NodeCopies copies_;
    NodeSlots slots_;
    NodeOffers offers_;
    std::vector<Stream> out_, in_;
    bool may_be_filled_ = false; // in the last exchange; its readers may not have emptied them
};

template <typename Write, typename Read>
Served NodeStreams::serve_each(Write&& write, Read&& read) {
    Served served;
    for (Stream& stream : out_) served.note(stream, write);
    for (Stream& stream : in_) served.note(stream, read);
    return served;
}

template <typename Turn>
Status NodeStreams::serve(Turn&& turn) {
    for (int looks = 0;;) {
        const Served served = turn();
        if (epochs_.is_broken()) return Fault::lost;
        if (served.all_are_over) return {};
        if (served.some)
            looks = 0;
        else if (!epochs_.rest(looks, NodeRest::Others::exchange))
            return Fault::lost;
    }
}

template <typename Copy>
bool NodeStreams::empty_slot(Stream& stream, Copy&& copy) {
    if (stream.is_over() || !slots_.is_filled(stream.local)) return false;
    copy(stream);
    stream.done += stream.next();
    slots_.empty(stream.local);
    return true;
}

} // namespace switchyard::algorithms
