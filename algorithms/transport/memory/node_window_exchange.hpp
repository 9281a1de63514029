// What the ranks of a node do with their window: they exchange blocks in any form, and gather parts.
#pragma once

#include "algorithms/transport/messages/copy.hpp"
#include "node_window.hpp"

namespace switchyard::algorithms {

// ---- Exchange -------------------------------------------------------------------------------------------

template <typename Sent, typename Received>
Status NodeWindow::exchange(const Sent& sent, const Received& received, bool in_place) {
    if (!is_ready()) return Fault::lost;
    if (size_ > 1) {
        const Notice own = next_notice();
        write_blocks(sent, own, in_place, !in_place && load_.others_have_cores());
        enter(own);
    }
    return finish(sent, received, in_place);
}

template <typename Sent>
void NodeWindow::write_blocks(const Sent& sent, const Notice& own, bool in_place, bool by_message) {
    out_.clear();
    const bool may_offer = !in_place && !by_message;
    for (int local = after(rank_); local != rank_; local = after(local)) {
        const std::size_t size = sent.size(local);
        Slice& slice = own.slices[local];
        if (sent.is_direct(size)) {
            slice = {Slice::direct, 0};
        } else if (size == 0) {
            slice = {0, 0};
        } else if (const std::size_t place =
                       (may_offer && is_for_reading(size) && can_be_read_by(local)) || is_for_slots(size)
                           ? 0
                           : place_for(size, own)) [[likely]] {
            writers_[at(local)].write(section(rank_) + place, sent.at(local), size);
            slice = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(size)};
        } else { // a stream out is only read, like all that is sent
            out_.push_back({.local = local, .data = const_cast<std::byte*>(sent.at(local)), .bytes = size});
        }
    }
    tell_load(own);
    if (!out_.empty()) [[unlikely]]
        by_message ? send_streams(own) : lay_out_streams(own, in_place);
}

template <typename Sent, typename Received>
Status NodeWindow::finish(const Sent& sent, const Received& received, bool in_place) {
    Status status = read_blocks(sent, received, in_place);
    if (is_broken_) [[unlikely]]
        withdraw_offers();
    widen_ring();
    if (watches_load_ && unmet_.empty() && !is_broken_) hear_load();
    if (has_messages()) [[unlikely]]
        status.keep(end_messages());
    own_time_.pass();
    return status;
}

template <typename Sent, typename Received>
Status NodeWindow::read_blocks(const Sent& sent, const Received& received, bool in_place) {
    Status status;
    if (!in_place) status = copy_own(sent, received);
    in_.clear();
    const auto is_needed = [&](int source) { return received.size(source) > 0 || received.hears_all(); };
    const auto meet = [&](int source) { status.keep(meet_block(received, source, in_place)); };
    if (!meet_all(is_needed, meet, in_place)) return Fault::lost;
    if (!out_.empty() || !in_.empty()) [[unlikely]]
        status.keep(run_streams(received, in_place));
    return status;
}

// Ranks that have come do not wait for a rank that has not: it may come only after one of them has returned.
// So streams go on meanwhile.
template <typename IsNeeded, typename Meet>
bool NodeWindow::meet_all(IsNeeded&& is_needed, Meet&& meet, bool in_place) {
    awaited_.clear();
    for (int source = after(rank_); source != rank_; source = after(source)) {
        if (has_entered(source))
            meet(source);
        else
            (is_needed(source) ? awaited_ : unmet_).push_back(source);
    }
    for (int looks = 0; !awaited_.empty();) {
        const auto came = std::erase_if(awaited_, [&](int source) {
            if (!has_entered(source)) return false;
            meet(source);
            return true;
        });
        if (came > 0 || serve_pairs(in_place).some)
            looks = 0;
        else if (!rest(looks, NodeRest::Others::may_compute))
            return false;
    }
    return true;
}

// Meets the block of a rank that has entered the epoch.
template <typename Received>
Status NodeWindow::meet_block(const Received& received, int source, bool in_place) {
    const Notice notice = notice_of(source);
    const Slice slice = notice.slices[rank_];
    if (slice.begin == Slice::direct)
        received.meets_mark(source);
    else if (slice.bytes == Slice::stream && notice.places[rank_].slots > 0) [[unlikely]]
        meet_stream(received, source, notice.places[rank_], in_place);
    else if (in_place && !out_.empty() && has_stream_to(source)) [[unlikely]]
        is_late_ = true;
    else if (slice.bytes == Slice::stream) [[unlikely]]
        return meet_message(received, source, notice.places[rank_]);
    else
        return read_block(received, source, slice);
    return {};
}

template <typename Sent, typename Received>
Status NodeWindow::copy_own(const Sent& sent, const Received& received) {
    const std::size_t size = sent.size(rank_), room = received.size(rank_);
    // All other blocks may be about as large as this block.
    if (const std::size_t bytes = std::min(size, room); bytes > 0)
        copy_arriving(received.at(rank_), sent.at(rank_), bytes, go_past_caches(bytes * sections_.size()));
    return fits(size, room);
}

inline void NodeWindow::copy_arriving(std::byte* to, const std::byte* from, std::size_t bytes,
                                      bool past_caches) {
    if (past_caches) [[unlikely]]
        copy_past_caches(to, from, bytes);
    else
        copy_bytes(to, from, bytes);
}

template <typename Received>
Status NodeWindow::read_block(const Received& received, int source, Slice slice) {
    received.meets(source, slice.bytes);
    if (slice.bytes == 0) return {};
    if (slice.bytes > received.size(source)) return Fault::truncated;
    copy_bytes(received.at(source), section(source) + slice.begin, slice.bytes);
    return {};
}

template <typename Received>
void NodeWindow::meet_stream(const Received& received, int source, const StreamPlace& place, bool in_place) {
    received.meets(source, place.bytes);
    const std::size_t room = received.size(source);
    const bool has_room = room >= place.bytes;
    if (!has_room) emptied(source, rank_).refuses.store(1, std::memory_order_release);
    in_.push_back({.local = source,
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
    if (Stream& stream = in_.back(); stream.is_offered && !in_place)
        while (read_by_cma(stream)) {
        }
}

template <typename Received>
Status NodeWindow::meet_message(const Received& received, int source, const StreamPlace& place) {
    received.meets(source, place.bytes);
    if (place.bytes > received.size(source)) {
        lose_message(source, place.bytes);
        return Fault::truncated;
    }
    receive_message(source, received.at(source), place.bytes);
    return {};
}

template <typename Received>
Status NodeWindow::run_streams(const Received& received, bool in_place) {
    choose_how_to_read(in_place);
    const auto through_slots = [&] { return serve_pairs(in_place); };
    // In place, a block may come only to places that this rank's own bytes have left.
    Status status = serve(through_slots, [&] { return !in_place && read_by_cma(); });
    reads_past_caches_ = false;
    for (const Stream& stream : in_)
        if (stream.room < stream.bytes) status.keep(Fault::truncated);
    if (!is_late_ || is_broken_) return status;
    // In place: blocks that came in the epoch or as messages, for places whose own
    // blocks went out by streams.
    is_late_ = false;
    for (const Stream& stream : out_) {
        const Notice notice = notice_of(stream.local);
        const Slice slice = notice.slices[rank_];
        if (slice.bytes != Slice::stream)
            status.keep(read_block(received, stream.local, slice));
        else if (notice.places[rank_].slots == 0)
            status.keep(meet_message(received, stream.local, notice.places[rank_]));
    }
    return status;
}

// copy(stream): takes the bytes of the slot.
template <typename Copy>
bool NodeWindow::empty_slot(Stream& stream, Copy&& copy) {
    if (stream.is_over()) return false;
    std::uint64_t& count = emptied_[at(stream.local)];
    if (filled(stream.local, rank_).slots.load(std::memory_order_acquire) == count) return false;
    copy(stream);
    stream.done += stream.next();
    emptied(stream.local, rank_).slots.store(++count, std::memory_order_release);
    return true;
}

// Reads from the end of the block, while its writer may go on from the front. read(begin, bytes) brings these
// bytes of the block. MPI works on its messages after each piece.
template <typename Read>
bool NodeWindow::read_by_cma(Stream& stream, Read&& read) {
    if (stream.is_over() || stream.from == 0 || is_broken_) return false;
    section::Emptied& own = emptied(stream.local, rank_);
    if (own.refuses.load(std::memory_order_relaxed) != 0) return false;
    section::Filled& writers = filled(stream.local, rank_);
    const std::uint64_t most = std::max<std::uint64_t>(most_read_bytes / stream.slot_bytes, 1),
                        taken = writers.claims.take_back(stream.pieces(), most);
    if (taken == 0) return false;
    const std::size_t begin = (stream.pieces_of(stream.end) - taken) * stream.slot_bytes;
    const bool is_read = read(begin, stream.end - begin);
    is_broken_ = writers.is_withdrawn.load(std::memory_order_seq_cst);
    if (!is_read) {
        writers.claims.give_back(taken);
        own.refuses.store(1, std::memory_order_release);
        return false;
    }
    cma_bytes_ += stream.end - begin;
    stream.end = begin;
    own.read.store(own.read.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(taken),
                   std::memory_order_release);
    if (!stream.is_over()) probe();
    return true;
}

// Calls turn(), which serves each stream once, until all streams are over. Where no stream could be
// served and other programs have the cores, it calls otherwise(), which may find something to do.
// If not, this rank rests.
template <typename Turn, typename Otherwise>
Status NodeWindow::serve(Turn&& turn, Otherwise&& otherwise) {
    for (int looks = 0;;) {
        const Served served = turn();
        if (is_broken_) return Fault::lost;
        if (served.all_are_over) return {};
        if (served.some || (rest_.has_met_others() && otherwise()))
            looks = 0;
        else if (!rest(looks, NodeRest::Others::exchange))
            return Fault::lost;
    }
}

// ---- Gather ---------------------------------------------------------------------------------------------

template <typename Received>
Status NodeWindow::allgather(std::span<const std::byte> sent, const Received& received) {
    // Each rank knows the sizes of all blocks, so no rank waits where nobody has anything.
    if (is_nothing(received)) return {};
    const auto for_each_part = [&](int source, auto&& add) {
        if (source == rank_)
            add(Part{const_cast<std::byte*>(sent.data()), sent.size()}); // it is only read
        else
            add(Part{received.at(source), received.size(source)});
    };
    return gather(for_each_part, [&] {
        if (std::byte* const place = received.at(rank_); sent.data() != place)
            copy_bytes(place, sent.data(), std::min(sent.size(), received.size(rank_)));
    });
}

template <typename ForEachPart, typename KeepOwn>
Status NodeWindow::gather(ForEachPart&& for_each_part, KeepOwn&& keep_own) {
    if (size_ == 1) {
        keep_own();
        return {};
    }
    if (!is_ready()) return Fault::lost;
    const Part own_bytes = as_one(for_each_part);
    const std::size_t bytes = own_bytes.bytes;
    out_.clear();
    in_.clear();
    const bool offers = own_bytes.data != nullptr && is_for_reading_by_all(bytes);
    if (!offers) grow_ring_for_epoch(bytes);
    const std::size_t first = offers ? 0 : std::min(bytes, ring_.capacity());
    const Notice own = next_notice(first);
    own.header->word = offers ? section::Header::is_offered | bytes : bytes;
    if (offers)
        offer_to_all(own, own_bytes);
    else
        copy_out(for_each_part, {0, first}, bytes_for_all(own, first));
    if (bytes > most_near_bytes()) own.places[rank_].shown_bytes = first;
    if (!offers && first < bytes) out_.push_back(stream_to_all(own, bytes));
    enter(own);
    keep_own();
    Status status;
    for (int source = after(rank_); source != rank_; source = after(source)) {
        const Notice notice = notice_of(source);
        if (!wait_for(source)) return withdraw_offers(), Status(Fault::lost);
        const std::uint64_t all = notice.header->word;
        if ((all & section::Header::is_offered) != 0) {
            meet_offer(source, notice.places[rank_]);
            continue;
        }
        const std::size_t shown = shown_of(notice, source, all);
        status.keep(copy_in(for_each_part, source, {0, shown}, bytes_for_all(source, shown)));
        if (shown < all) in_.push_back(stream_to_all(source, all));
    }
    if (!out_.empty() || !in_.empty()) [[unlikely]]
        status.keep(gather_by_streams(for_each_part));
    widen_ring();
    own_time_.pass();
    return status;
}

template <typename ForEachPart>
Part NodeWindow::as_one(ForEachPart&& for_each_part) {
    Part one{nullptr, 0};
    bool is_one = true;
    for_each_part(rank_, [&](Part part) {
        is_one = is_one && (one.bytes == 0 || part.bytes == 0);
        if (part.bytes > 0) one.data = part.data;
        one.bytes += part.bytes;
    });
    return {is_one ? one.data : nullptr, one.bytes};
}

template <typename ForEachPart>
Status NodeWindow::gather_by_streams(ForEachPart&& for_each_part) {
    has_filled_slots_ = has_filled_slots_ || !out_.empty();
    choose_how_to_read(false);
    Status status;
    const auto copy = [&](const Stream& stream) {
        status.keep(copy_in(for_each_part, stream.local, {stream.done, stream.next()},
                            section(stream.local) + stream.slot()));
    };
    const auto write = [&](Stream& stream) {
        if (!stream.is_for_all) return write_slot(stream);
        if (stream.is_over() || !has_slot_for_all(stream)) return false;
        copy_out(for_each_part, {stream.done, stream.next()}, section(rank_) + stream.slot());
        fill_slot_for_all(stream);
        return true;
    };
    const auto read = [&](Stream& stream) {
        if (!stream.is_for_all)
            return empty_slot(stream, copy) || read_by_cma(stream, [&](std::size_t begin, std::size_t bytes) {
                       return read_in(for_each_part, stream, {begin, bytes}, status);
                   });
        if (stream.is_over() || !is_filled_for_all(stream)) return false;
        copy(stream);
        empty_slot_for_all(stream);
        return true;
    };
    const auto turn = [&] {
        Served served;
        for (Stream& stream : out_) served.note(stream, write);
        for (Stream& stream : in_) served.note(stream, read);
        return served;
    };
    status.keep(serve(turn, [] { return false; }));
    reads_past_caches_ = false;
    if (is_broken_) withdraw_offers();
    return status;
}

// Reads from another rank's own memory. False: it cannot be read.
template <typename ForEachPart>
bool NodeWindow::read_in(ForEachPart&& for_each_part, const Stream& stream, Cut cut, Status& status) {
    bool is_read = true;
    std::uintptr_t from = stream.from + cut.skip;
    for_each_part(stream.local, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        if (is_read && taken.size > 0)
            is_read =
                neighbours_[at(stream.local)].read(part.data + taken.offset, from, taken.size, stream.proof);
        from += taken.size;
    });
    if (cut.room > 0) status.keep(Fault::truncated);
    return is_read;
}

// Copies the bytes of this rank's parts in that cut.
template <typename ForEachPart>
void NodeWindow::copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to) {
    for_each_part(rank_, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        writers_[at(rank_)].write(to, part.data + taken.offset, taken.size);
        to += taken.size;
    });
}
// The same for another rank's parts. An error where that rank has more bytes than this rank has room for.
template <typename ForEachPart>
Status NodeWindow::copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from) {
    for_each_part(source, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        copy_arriving(part.data + taken.offset, from, taken.size, reads_past_caches_);
        from += taken.size;
    });
    return cut.room > 0 ? Status(Fault::truncated) : Status();
}

} // namespace switchyard::algorithms
