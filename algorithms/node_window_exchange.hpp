// What the ranks of a node do with their window: they exchange blocks in any form, and gather parts.
#pragma once

#include "copy.hpp"
#include "node_window.hpp"

namespace switchyard::algorithms {

// ---- Exchange -------------------------------------------------------------------------------------------

template <typename Sent, typename Received>
Status NodeWindow::exchange(const Sent& sent, const Received& received, bool in_place) {
    if (!is_ready()) return {MPI_ERR_OTHER};
    if (size_ > 1) {
        const Notice own = next_notice();
        write_blocks(sent, own, !in_place && load_.others_have_cores());
        enter(own);
    }
    return finish(sent, received, in_place);
}

template <typename Sent>
void NodeWindow::write_blocks(const Sent& sent, const Notice& own, bool by_message) {
    out_.clear();
    for (int local = after(rank_); local != rank_; local = after(local)) {
        const std::size_t size = sent.size(local);
        Slice& slice = own.slices[local];
        if (sent.goes_straight(size)) {
            slice = {Slice::straight, 0};
        } else if (size == 0) {
            slice = {0, 0};
        } else if (const std::size_t place = place_for(size, own)) [[likely]] {
            writers_[at(local)].write(section(rank_) + place, sent.at(local), size);
            slice = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(size)};
        } else { // const as all that is sent: a stream out is only read
            out_.push_back({.local = local, .data = const_cast<std::byte*>(sent.at(local)), .bytes = size});
        }
    }
    tell_load(own);
    if (!out_.empty()) [[unlikely]]
        by_message ? send_streams(own) : lay_out_streams(own);
}

template <typename Sent, typename Received>
Status NodeWindow::finish(const Sent& sent, const Received& received, bool in_place) {
    Status status = read_blocks(sent, received, in_place);
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
    // Where bytes of the epoch before lie, which others may still read, there are slots of streams.
    const bool needs_all = received.hears_all() || !out_.empty();
    const auto is_needed = [&](int source) {
        return received.size(source) > 0 || needs_all || has_entered(source);
    };
    const auto meet = [&](int source) { status.keep(meet_block(received, source, in_place)); };
    if (!(load_.others_have_cores() ? as_they_come(is_needed, meet) : in_turn(is_needed, meet)))
        return {MPI_ERR_OTHER};
    if (!out_.empty() || !in_.empty()) [[unlikely]]
        status.keep(run_streams(received, in_place));
    return status;
}

template <typename IsNeeded, typename Meet>
bool NodeWindow::in_turn(IsNeeded&& is_needed, Meet&& meet) {
    for (int source = after(rank_); source != rank_; source = after(source)) {
        if (!is_needed(source)) {
            unmet_.push_back(source);
            continue;
        }
        if (!wait_for(source)) return false;
        meet(source);
    }
    return true;
}

// Messages of ranks that are there arrive while another rank has no core.
template <typename IsNeeded, typename Meet>
bool NodeWindow::as_they_come(IsNeeded&& is_needed, Meet&& meet) {
    awaited_.clear();
    for (int source = after(rank_); source != rank_; source = after(source))
        (is_needed(source) ? awaited_ : unmet_).push_back(source);
    for (int looks = 0; !awaited_.empty();) {
        const auto came = std::erase_if(awaited_, [&](int source) {
            if (!has_entered(source)) return false;
            meet(source);
            return true;
        });
        if (came > 0)
            looks = 0;
        else if (!rest(looks, NodeRest::Others::may_compute))
            return false;
    }
    return true;
}

// The block of a rank that has entered the epoch.
template <typename Received>
Status NodeWindow::meet_block(const Received& received, int source, bool in_place) {
    const Notice notice = notice_of(source);
    const Slice slice = notice.slices[rank_];
    if (slice.begin == Slice::straight)
        received.meets_mark(source);
    else if (slice.bytes == Slice::stream && notice.places[rank_].slots > 0) [[unlikely]]
        meet_stream(received, source, notice.places[rank_]);
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
    // All other blocks may have about the size of this one.
    if (const std::size_t bytes = std::min(size, room); bytes > 0)
        copy_arriving(received.at(rank_), sent.at(rank_), bytes, go_past_caches(bytes * sections_.size()));
    return {size <= room ? MPI_SUCCESS : MPI_ERR_TRUNCATE};
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
    if (slice.bytes > received.size(source)) return {MPI_ERR_TRUNCATE};
    copy_bytes(received.at(source), section(source) + slice.begin, slice.bytes);
    return {};
}

template <typename Received>
void NodeWindow::meet_stream(const Received& received, int source, const StreamPlace& place) {
    received.meets(source, place.bytes);
    const std::size_t room = received.size(source);
    const bool has_room = room >= place.bytes;
    in_.push_back({.local = source,
                   .data = room > 0 ? received.at(source) : nullptr,
                   .bytes = place.bytes,
                   .begin = place.begin,
                   .slot_bytes = place.slot_bytes,
                   .slots = place.slots,
                   .room = room,
                   .from = has_room ? place.from : 0,
                   .proof = place.proof});
}

template <typename Received>
Status NodeWindow::meet_message(const Received& received, int source, const StreamPlace& place) {
    received.meets(source, place.bytes);
    if (place.bytes > received.size(source)) {
        lose_message(source, place.bytes);
        return {MPI_ERR_TRUNCATE};
    }
    receive_message(source, received.at(source), place.bytes);
    return {};
}

template <typename Received>
Status NodeWindow::run_streams(const Received& received, bool in_place) {
    has_filled_slots_ = !out_.empty();
    const std::size_t rounds = std::max(out_.size(), in_.size());
    choose_how_to_read(in_place);
    const auto through_slots = [&] {
        Served served;
        for (std::size_t i = 0; i < rounds; ++i) {
            if (i < out_.size()) served.note(out_[i], [&](Stream& stream) { return write_slot(stream); });
            if (i < in_.size())
                served.note(in_[i], [&](Stream& stream) { return read_slot(stream, in_place); });
        }
        return served;
    };
    // In place, a block may come only to where this rank's own bytes have left.
    Status status = serve(through_slots, [&] { return !in_place && read_directly(); });
    reads_past_caches_ = false;
    for (const Stream& stream : in_)
        if (stream.room < stream.bytes) status.keep({MPI_ERR_TRUNCATE});
    if (!is_late_ || is_broken_) return status;
    // In place: blocks that came in the epoch or as messages, for places whose own blocks went out by streams.
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

// Calls turn(), which serves each stream once, until all are over. Where none could be served, and other programs have the
// cores, otherwise() may know what to do. Else this rank rests.
template <typename Turn, typename Otherwise>
Status NodeWindow::serve(Turn&& turn, Otherwise&& otherwise) {
    for (int looks = 0;;) {
        const Served served = turn();
        if (served.all_are_over) return {};
        if (served.some || (rest_.has_met_others() && otherwise()))
            looks = 0;
        else if (!rest(looks, NodeRest::Others::exchange))
            return {MPI_ERR_OTHER};
    }
}

// ---- Gather ---------------------------------------------------------------------------------------------

template <typename Received>
Status NodeWindow::allgather(std::span<const std::byte> sent, const Received& received) {
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
    if (!is_ready()) return {MPI_ERR_OTHER};
    std::size_t bytes = 0;
    for_each_part(rank_, [&](Part part) { bytes += part.bytes; });
    out_.clear();
    in_.clear();
    const std::size_t first = std::min(bytes, layout_.capacity);
    const Notice own = next_notice(first);
    own.header->word = bytes;
    copy_out(for_each_part, {0, first}, bytes_for_all(own, first));
    if (first < bytes) out_.push_back(stream_to_all(own, bytes));
    enter(own);
    keep_own();
    Status status;
    for (int source = after(rank_); source != rank_; source = after(source)) {
        const Notice notice = notice_of(source);
        if (!wait_for(source)) return {MPI_ERR_OTHER};
        const std::uint64_t all = notice.header->word;
        const std::size_t shown = std::min<std::uint64_t>(all, layout_.capacity);
        status.keep(copy_in(for_each_part, source, {0, shown}, bytes_for_all(source, shown)));
        if (shown < all) in_.push_back(stream_to_all(source, all));
    }
    if (!out_.empty() || !in_.empty()) [[unlikely]]
        status.keep(gather_by_streams(for_each_part));
    own_time_.pass();
    return status;
}

template <typename ForEachPart>
Status NodeWindow::gather_by_streams(ForEachPart&& for_each_part) {
    has_filled_slots_ = !out_.empty();
    choose_how_to_read(false);
    Status status;
    const auto write = [&](Stream& stream) {
        if (stream.is_over() || !has_slot_for_all(stream)) return false;
        copy_out(for_each_part, {stream.done, stream.next()}, section(rank_) + stream.slot());
        fill_slot_for_all(stream);
        return true;
    };
    const auto read = [&](Stream& stream) {
        if (stream.is_over() || !is_filled_for_all(stream)) return false;
        status.keep(copy_in(for_each_part, stream.local, {stream.done, stream.next()},
                            section(stream.local) + stream.slot()));
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
    return status;
}

// The bytes of this rank's parts in that cut.
template <typename ForEachPart>
void NodeWindow::copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to) {
    for_each_part(rank_, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        writers_[at(rank_)].write(to, part.data + taken.offset, taken.size);
        to += taken.size;
    });
}
// Another rank's. An error where it has more bytes than this rank has room for.
template <typename ForEachPart>
Status NodeWindow::copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from) {
    for_each_part(source, [&](Part part) {
        const Block taken = cut.next(part.bytes);
        copy_arriving(part.data + taken.offset, from, taken.size, reads_past_caches_);
        from += taken.size;
    });
    return {cut.room > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS};
}

} // namespace switchyard::algorithms
