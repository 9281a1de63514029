// A gather: the bytes of each rank of the node, one block or several parts, come to all other ranks. A rank
// writes its bytes once, or offers them, and all other ranks read them there:
//
//   notice of w:  epoch | word: bytes, is_offered | slices | near: few bytes | places: of w itself, of each r
//   ring of w:    ... | epoch n: the first bytes, or all | ... | slots that all other ranks read | ...
//
//   word                         written by  when                                           order
//   `word`                       w           between next() and enter()                     plain
//   bytes near, or in the ring   w           likewise                                       plain
//   place of w: where they are   w           likewise, if they lie in the ring              plain
//   place of w: shown_bytes      w           likewise: how many of them come in the epoch   plain
//   place of w: slots            w           likewise, if more bytes follow in slots        plain
//   slice and place of r         w           likewise, of an offer, as in an exchange       plain
//   Filled.slots of w itself     w           a slot is full, for all                        release
//   Emptied.slots_for_all of r   r           it has read a slot                             release
//
// The epoch releases what is written before it (node_epochs.hpp). node_slots.hpp says why the counts are
// released, node_offers.hpp who writes the words of an offer. Each rank waits for each other rank: a place
// may be written again once all ranks have come to the next epoch.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "node_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace switchyard::algorithms {

class NodeGather {
  public:
    // Goes through the epochs and streams of `exchange`.
    explicit NodeGather(NodeExchange& exchange)
        : exchange_(exchange), epochs_(exchange.epochs()), streams_(exchange.streams()) {}

    // Brings the parts of every rank of the node to all other ranks of the node. Calls for_each_part(local
    // rank, add), which calls add(Part) for each part of that rank: parts of this rank are read, parts of
    // other ranks are written. keep_own() is called once the other ranks can read what fits into an epoch:
    // then the caches still have the block.
    template <typename ForEachPart, typename KeepOwn>
    Status gather(ForEachPart&& for_each_part, KeepOwn&& keep_own);
    // Brings one block of each rank of the node to all ranks of the node, also to its own rank, unless it
    // lies there already. `received`: by local rank, in a form of node_blocks.hpp.
    template <typename Received>
    Status allgather(std::span<const std::byte> sent, const Received& received);

    // The two halves of gather(). Writes the bytes of this rank and enters the epoch.
    template <typename ForEachPart>
    void show(ForEachPart&& for_each_part);
    // Takes the bytes of the other ranks.
    template <typename ForEachPart>
    Status take(ForEachPart&& for_each_part);

  private:
    // A stream of blocks cut to one epoch or slot: skips the bytes before it, then takes at most `room`
    // bytes.
    struct Cut {
        std::size_t skip, room;
        Block next(std::size_t size) {
            const std::size_t skipped = std::min(skip, size), taken = std::min(size - skipped, room);
            skip -= skipped;
            room -= taken;
            return {skipped, taken};
        }
    };
    template <typename Received>
    bool is_nothing(const Received& received) const;
    template <typename ForEachPart>
    Part as_one(ForEachPart&& for_each_part); // of this rank. Without data: it has several parts
    template <typename ForEachPart>
    void copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to);
    template <typename ForEachPart>
    Status copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from);
    template <typename ForEachPart>
    bool read_in(ForEachPart&& for_each_part, const Stream& stream, Cut cut, Status& status);
    template <typename ForEachPart>
    Status run_streams(ForEachPart&& for_each_part);

    void offer(const section::Notice& own, Part bytes);
    void meet_offer(int source, const section::StreamPlace& place);
    // This rank's stream, and another rank's.
    Stream stream_to_all(const section::Notice& own, std::size_t bytes);
    Stream stream_of(int source, std::size_t bytes) const;
    // A rank that has entered the epoch has `bytes` bytes for all ranks. Returns how many of them came
    // in the epoch.
    std::size_t shown_of(const section::Notice& notice, int source, std::size_t bytes) const {
        return bytes <= epochs_.room().most_near_bytes() ? bytes : notice.places[source].shown_bytes;
    }

    NodeExchange& exchange_; // the last exchange may have ranks to meet
    NodeEpochs& epochs_;
    NodeStreams& streams_;
};

template <typename Received>
bool NodeGather::is_nothing(const Received& received) const {
    const int size = epochs_.sections().size();
    int local = 0;
    while (local < size && received.size(local) == 0) ++local;
    return local == size;
}

template <typename Received>
Status NodeGather::allgather(std::span<const std::byte> sent, const Received& received) {
    // Each rank knows the sizes of all blocks, so no rank waits where nobody has anything.
    if (is_nothing(received)) return {};
    const int rank = epochs_.sections().rank();
    const auto for_each_part = [&](int source, auto&& add) {
        if (source == rank)
            add(Part{const_cast<std::byte*>(sent.data()), sent.size()}); // it is only read
        else
            add(Part{received.at(source), received.size(source)});
    };
    return gather(for_each_part, [&] {
        if (std::byte* const place = received.at(rank); sent.data() != place)
            copy_bytes(place, sent.data(), std::min(sent.size(), received.size(rank)));
    });
}

template <typename ForEachPart, typename KeepOwn>
Status NodeGather::gather(ForEachPart&& for_each_part, KeepOwn&& keep_own) {
    if (epochs_.sections().size() == 1) {
        keep_own();
        return {};
    }
    if (!exchange_.is_ready()) return Fault::lost;
    show(for_each_part);
    keep_own();
    return take(for_each_part);
}

template <typename ForEachPart>
void NodeGather::show(ForEachPart&& for_each_part) {
    const Part own_bytes = as_one(for_each_part);
    const std::size_t bytes = own_bytes.bytes;
    streams_.clear_out();
    streams_.clear_in();
    const bool offers = own_bytes.data != nullptr && streams_.offers().is_for_reading_by_all(bytes);
    if (!offers) epochs_.room().grow_for_epoch(bytes);
    const std::size_t first = offers ? 0 : std::min(bytes, epochs_.room().capacity());
    const section::Notice own = epochs_.next(first);
    own.header->word = offers ? section::Header::is_offered | bytes : bytes;
    if (offers)
        offer(own, own_bytes);
    else
        streams_.offers().timed(NodeRates::Copy::in, bytes, first, [&] {
            copy_out(for_each_part, {0, first}, epochs_.room().place_for_all(first, own));
        });
    if (bytes > epochs_.room().most_near_bytes()) own.places[epochs_.sections().rank()].shown_bytes = first;
    if (!offers && first < bytes) streams_.send(stream_to_all(own, bytes));
    epochs_.enter(own);
}

template <typename ForEachPart>
Status NodeGather::take(ForEachPart&& for_each_part) {
    NodeEpochs& epochs = epochs_;
    const NodeRoom& room = epochs.room();
    Status status;
    for (const int source : epochs.sections().others()) {
        const section::Notice notice = epochs.notice(source);
        if (!epochs.wait_for(source)) return streams_.offers().withdraw(streams_.out()), Status(Fault::lost);
        const std::uint64_t all = notice.header->word;
        if ((all & section::Header::is_offered) != 0) {
            meet_offer(source, notice.places[epochs.sections().rank()]);
            continue;
        }
        const std::size_t shown = shown_of(notice, source, all);
        streams_.offers().timed(NodeRates::Copy::out, all, shown, [&] {
            status.keep(copy_in(for_each_part, source, {0, shown}, room.shown(source, shown, notice)));
        });
        if (shown < all) streams_.receive(stream_of(source, all));
    }
    if (!streams_.are_none()) [[unlikely]]
        status.keep(run_streams(for_each_part));
    streams_.earn_pages();
    epochs.pass_time();
    return status;
}

template <typename ForEachPart>
Part NodeGather::as_one(ForEachPart&& for_each_part) {
    Part one{nullptr, 0};
    bool is_one = true;
    for_each_part(epochs_.sections().rank(), [&](Part part) {
        is_one = is_one && (one.bytes == 0 || part.bytes == 0);
        if (part.bytes > 0) one.data = part.data;
        one.bytes += part.bytes;
    });
    return {is_one ? one.data : nullptr, one.bytes};
}

template <typename ForEachPart>
Status NodeGather::run_streams(ForEachPart&& for_each_part) {
    if (!streams_.out().empty()) streams_.note_filled();
    streams_.begin_reading(false);
    Status status;
    const auto copy = [&](const Stream& stream) {
        streams_.offers().timed(NodeRates::Copy::out, stream.bytes, stream.next(), [&] {
            status.keep(copy_in(for_each_part, stream.local, {stream.done, stream.next()},
                                epochs_.sections().of(stream.local) + stream.slot()));
        });
    };
    const auto write = [&](Stream& stream) {
        if (!stream.is_for_all) return streams_.write_slot(stream);
        if (stream.is_over() || !streams_.slots().has_free_for_all(stream.slots)) return false;
        streams_.offers().timed(NodeRates::Copy::in, stream.bytes, stream.next(), [&] {
            copy_out(for_each_part, {stream.done, stream.next()}, epochs_.sections().own() + stream.slot());
        });
        stream.done += stream.next();
        streams_.slots().fill_for_all();
        return true;
    };
    const auto read = [&](Stream& stream) {
        if (!stream.is_for_all)
            return streams_.empty_slot(stream, copy) ||
                   streams_.offers().read(stream, [&](std::size_t begin, std::size_t bytes) {
                       return read_in(for_each_part, stream, {begin, bytes}, status);
                   });
        if (stream.is_over() || !streams_.slots().is_filled_for_all(stream.local)) return false;
        copy(stream);
        stream.done += stream.next();
        streams_.slots().empty_for_all(stream.local);
        return true;
    };
    status.keep(streams_.serve([&] { return streams_.serve_each(write, read); }));
    streams_.end_reading();
    if (epochs_.is_broken()) streams_.offers().withdraw(streams_.out());
    return status;
}

// Reads from another rank's own memory. False: it cannot be read.
template <typename ForEachPart>
bool NodeGather::read_in(ForEachPart&& for_each_part, const Stream& stream, Cut cut, Status& status) {
    bool is_read = true;
    std::uintptr_t from = stream.from + cut.skip;
    for_each_part(stream.local, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        if (is_read && taken.size > 0)
            is_read = streams_.offers().bring(stream, part.data + taken.offset, from, taken.size);
        from += taken.size;
    });
    if (cut.room > 0) status.keep(Fault::truncated);
    return is_read;
}

// Copies the bytes of this rank's parts in that cut.
template <typename ForEachPart>
void NodeGather::copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to) {
    const int rank = epochs_.sections().rank();
    NodeCopies& copies = streams_.copies();
    for_each_part(rank, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        copies.write(to, part.data + taken.offset, taken.size);
        to += taken.size;
    });
}
// The same for another rank's parts. An error where that rank has more bytes than this rank has room for.
template <typename ForEachPart>
Status NodeGather::copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from) {
    const NodeCopies& copies = streams_.copies();
    for_each_part(source, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        copies.read(part.data + taken.offset, from, taken.size);
        from += taken.size;
    });
    return cut.room > 0 ? Status(Fault::truncated) : Status();
}

} // namespace switchyard::algorithms
