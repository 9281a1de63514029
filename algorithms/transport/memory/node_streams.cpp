#include "node_streams.hpp"

#include <algorithm>

namespace switchyard::algorithms {

NodeStreams::NodeStreams(NodeEpochs& epochs, int cores)
    : epochs_(epochs), copies_(epochs.sections().size(), cores), slots_(epochs.sections()), offers_(epochs) {
    const auto ranks = static_cast<std::size_t>(epochs.sections().size());
    out_.reserve(ranks);
    in_.reserve(ranks);
}

// Streams that nobody may take from this rank's own memory go through slots: the more slots, the better.
void NodeStreams::grow_room(bool in_place) {
    std::size_t bytes = 0;
    for (const Stream& stream : out_)
        if (!offers_.is_for_reader(stream, in_place)) bytes += stream.bytes;
    if (bytes > 0) epochs_.room().grow_for_epoch(epochs_.room().used() + bytes);
}

void NodeStreams::lay_out(const section::Notice& own, bool in_place) {
    may_be_filled_ = true; // soon
    grow_room(in_place);
    const section::Area free = epochs_.room().free();
    const std::size_t area = free.bytes / out_.size();
    std::size_t begin = free.begin;
    for (Stream& stream : out_) {
        stream.lay_out_slots({begin, area});
        offers_.begin(stream, in_place);
        if (!stream.is_offered)
            epochs_.room().need(begin + std::min<std::uint64_t>(area, stream.pieces() * stream.slot_bytes));
        own.places[stream.local] = stream.place();
        own.slices[stream.local] = {0, section::Slice::stream};
        begin += area;
    }
}

bool NodeStreams::has_stream_to(int local) const {
    return std::ranges::any_of(out_, [&](const Stream& stream) { return stream.local == local; });
}

// In place, what arrives may cover only what has left: here the bytes before `end`.
bool NodeStreams::may_cover(const Stream& arriving, std::uint64_t end) const {
    const auto leaving =
        std::ranges::find_if(out_, [&](const Stream& stream) { return stream.local == arriving.local; });
    return leaving == out_.end() || leaving->is_over() || leaving->done >= end;
}

void NodeStreams::begin_reading(bool in_place) {
    std::size_t arriving = 0;
    for (const Stream& stream : in_) arriving += stream.bytes;
    copies_.begin_streams(in_place ? 0 : arriving);
}

bool NodeStreams::write_slot(Stream& stream) {
    if (stream.is_over()) return false;
    if (offers_.is_read_to_end(stream)) {
        stream.done = stream.bytes;
        return true;
    }
    if (offers_.is_left_to_reader(stream)) return false;
    if (!slots_.has_free(stream.local, stream.slots)) return false;
    const std::size_t bytes = stream.next();
    offers_.timed(NodeRates::Copy::in, stream.bytes, bytes, [&] {
        copies_.write(epochs_.sections().own() + stream.slot(), stream.data + stream.done, bytes);
    });
    stream.done += bytes;
    slots_.fill(stream.local);
    return true;
}

// Bytes that this rank has no room for are lost, but their writer must not wait.
bool NodeStreams::read_slot(Stream& stream, bool in_place) {
    if (stream.is_over() || (in_place && !may_cover(stream, stream.done + stream.next()))) return false;
    return empty_slot(stream, [&](const Stream& filled) {
        const std::size_t room = filled.room - std::min(filled.room, filled.done),
                          bytes = std::min(filled.next(), room);
        if (room > 0)
            offers_.timed(NodeRates::Copy::out, filled.bytes, bytes, [&] {
                copies_.read(filled.data + filled.done, epochs_.sections().of(filled.local) + filled.slot(),
                             bytes);
            });
    });
}

Served NodeStreams::serve_pairs(bool in_place) {
    Served served;
    const std::size_t rounds = std::max(out_.size(), in_.size());
    // A rank in place may also be offered blocks, by a rank that exchanges from a copy.
    const auto may_read_by_cma = [&](const Stream& stream) {
        return stream.is_offered && (!in_place || may_cover(stream, stream.bytes));
    };
    const auto read = [&](Stream& stream) {
        return read_slot(stream, in_place) || (may_read_by_cma(stream) && offers_.read(stream));
    };
    for (std::size_t i = 0; i < rounds; ++i) {
        if (i < out_.size()) served.note(out_[i], [&](Stream& stream) { return write_slot(stream); });
        if (i < in_.size()) served.note(in_[i], read);
    }
    return served;
}

void NodeStreams::wait_for_readers() {
    for (int looks = 0; !slots_.are_emptied();)
        if (!epochs_.rest(looks, NodeRest::Others::may_compute)) return;
    may_be_filled_ = false;
}

void NodeStreams::earn_some_pages() {
    std::size_t bytes = epochs_.room().used();
    for (const Stream& stream : out_) bytes += stream.bytes;
    const bool are_small = bytes < NodeOffers::least_offered_bytes;
    epochs_.room().earn_pages(bytes, are_small, epochs_.rests().shares_cores(), epochs_.number());
}

} // namespace switchyard::algorithms
