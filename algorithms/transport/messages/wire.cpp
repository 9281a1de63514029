#include "wire.hpp"

#include "alarm.hpp"
#include "mpi_types.hpp"

#include <algorithm>
#include <cstdlib>

namespace switchyard::algorithms {

namespace {

// Messages under way at once, as most algorithms have them: a few with each rank. Room for more, where few
// ranks meet, would only cost a communicator's first call: its pages come one by one.
std::size_t usual_messages(const Group& group) {
    constexpr std::size_t with_each_rank = 16, least = 64;
    return std::clamp(with_each_rank * static_cast<std::size_t>(group.size), least,
                      2 * static_cast<std::size_t>(Wire::largest_batch));
}

} // namespace

Wire::Wire(const Group& group, std::size_t limit, int tag_offset)
    : group_(&group), limit_(limit), tag_offset_(tag_offset) {
    under_way_.make_room_for(usual_messages(group), sizeof(MPI_Request));
    look_at(group);
    second_.reset(new Wire(*this));
}

// The second channel. It has room for the few messages that most exchanges need there.
Wire::Wire(Wire& first)
    : group_(first.group_), limit_(first.limit_), tag_offset_(1), meter_(&first.meter_.traffic()),
      first_(&first) {
    constexpr std::size_t some = 64;
    under_way_.make_room_for(some, sizeof(MPI_Request));
    look_at(*group_);
}

// A rank is never two exchanges ahead of another rank, since in each exchange it gets something
// from each rank, or meets the ranks that it did not wait for (NodeWindow::meet_others). So two
// tags that alternate are enough.
Wire& Wire::take_second_channel() {
    constexpr int first = 1, second = 2;
    second_->tag_offset_ = first + second - second_->tag_offset_;
    second_->look_at(*group_);
    return *second_;
}

void Wire::look_at(const Group& group) {
    const NodeMap* const map = group.node_map;
    group_ = &group;
    envelope_ = {group.carrier_comm(),
                 group.carrier.tag + tag_offset_,
                 group.members,
                 group.carrier.ranks,
                 map == nullptr ? nullptr : map->node_of_each().data(),
                 map == nullptr ? 0 : map->node_of(group.rank_in_comm(group.rank))};
}

void Wire::keep(Status status) {
    if (status.ok()) return;
    if (group_->carrier.alarm != nullptr) group_->carrier.alarm->look();
    error_.keep(status);
}

// ---- Starting -------------------------------------------------------------------------------------------

// Makes room before MPI starts a message, since a request that is under way must never be lost.
bool Wire::widen(std::size_t more) {
    return made(under_way_.widen(more, sizeof(MPI_Request)));
}

inline void Wire::note_messages(int count) {
    simulation::note_messages(count);
    meter_.pass_time();
}

// One tag is enough for a wire. Messages between two ranks do not overtake each other, and both sides start
// their transfers, and the messages of a transfer, in the same order.
template <typename Datatype>
inline int Wire::isend(const void* data, int count, Datatype type, int peer) {
    note_messages(1);
    return PMPI_Isend(data, count, type, envelope_.rank_in_carrier(envelope_.rank_in_comm(peer)),
                      envelope_.tag, mpi_of(envelope_.comm), next_request(under_way_));
}
template <typename Datatype>
inline int Wire::irecv(void* data, int count, Datatype type, int peer) {
    note_messages(1);
    return PMPI_Irecv(data, count, type, envelope_.rank_in_carrier(envelope_.rank_in_comm(peer)),
                      envelope_.tag, mpi_of(envelope_.comm), next_request(under_way_));
}
template int Wire::isend(const void*, int, MPI_Datatype, int); // for wire_long.cpp
template int Wire::irecv(void*, int, MPI_Datatype, int);

void Wire::send(int destination, const std::byte* data, std::size_t bytes) {
    if (bytes > limit_) [[unlikely]]
        return send_pieces(destination, data, bytes);
    if (bytes == 0 || !has_room()) return;
    const int code = isend(data, static_cast<int>(bytes), MPI_BYTE, destination);
    if (!started(code)) return;
    under_way_.add({destination, true}, nullptr, 0);
    count_sent(destination, 1, bytes);
}

void Wire::receive(int source, std::byte* data, std::size_t bytes) {
    if (bytes > limit_) [[unlikely]]
        return receive_pieces(source, data, bytes);
    if (bytes == 0 || !has_room()) return;
    const int code = irecv(data, static_cast<int>(bytes), MPI_BYTE, source);
    if (started(code)) under_way_.add({source, false}, data, bytes);
}

// The next two functions are send() and receive() in a loop. They check once what send() and receive() check
// for each message.

void Wire::send_upwards(int first, int count, const std::byte* base, std::span<const Block> blocks) {
    note_messages(count);
    const auto ranks = static_cast<int>(blocks.size());
    auto* const from = const_cast<std::byte*>(base); // which is only read
    start_all<true>(first, std::min(first + count, ranks), from, blocks.data());
    if (first + count > ranks) start_all<true>(0, first + count - ranks, from, blocks.data());
}

void Wire::receive_downwards(int first, int count, std::byte* base, std::span<const Block> blocks) {
    note_messages(count);
    const auto ranks = static_cast<int>(blocks.size());
    start_all<false>(first, std::max(first - count, -1), base, blocks.data());
    if (first - count < -1) start_all<false>(ranks - 1, first - count + ranks, base, blocks.data());
}

// Counts all that was `sent`, where each block from `first` to before `end` was one message or none. Most
// ranks are far, so this function looks only at the near ranks.
inline void Wire::count_sent_upwards(int first, int end, const Block* blocks, Traffic& sent) {
    if (const NodeMap* const map = group_->node_map) {
        sent.messages_inter = sent.messages;
        sent.bytes_inter = sent.bytes;
        for (const int near : map->ranks_of(envelope_.own_node)) {
            if (near < first) continue;
            if (near >= end) break;
            const std::size_t bytes = blocks[near].size;
            sent.messages_inter -= bytes != 0 ? 1 : 0;
            sent.bytes_inter -= bytes;
        }
    }
    meter_.add_sent(sent);
}

// Starts the transfers with the ranks from `first` up or down to before `end`, of blocks that are one message
// or none. Returns the first rank that it left out: its block is longer, its message could not be started,
// the ranks have other numbers in the communicator, or there is no room for so many messages.
template <bool sends>
int Wire::start_singles(int first, int end, std::byte* base, const Block* blocks) {
    if (envelope_.members != nullptr || !has_room(static_cast<std::size_t>(std::abs(end - first))))
        return first;
    const Envelope other = envelope_;
    const MPI_Comm comm = mpi_of(other.comm);
    const std::size_t most = limit_ - 1;
    MPI_Request* request = next_request(under_way_);
    UnderWay::Message* message = under_way_.next();
    Traffic sent;
    int peer = first;
    for (; peer != end; peer += sends ? 1 : -1) {
        const Block& block = blocks[peer];
        if (block.size - 1 > most) [[unlikely]] {
            if (block.size == 0) continue;
            break;
        }
        std::byte* const data = base + block.offset;
        const auto bytes = static_cast<int>(block.size);
        const int rank = other.rank_in_carrier(peer);
        const int code = sends ? PMPI_Isend(data, bytes, MPI_BYTE, rank, other.tag, comm, request)
                               : PMPI_Irecv(data, bytes, MPI_BYTE, rank, other.tag, comm, request);
        if (code != MPI_SUCCESS) [[unlikely]] {
            keep(code);
            break;
        }
        ++request;
        message++->begin({peer, sends}, data, block.size);
        if (sends) sent.bytes += block.size;
    }
    const auto begun = static_cast<std::size_t>(request - next_request(under_way_));
    if (sends) {
        sent.messages = begun;
        count_sent_upwards(first, peer, blocks, sent);
    }
    under_way_.add_noted(begun);
    return peer;
}

// Starts the transfers with all ranks from `first` up or down to before `end`.
template <bool sends>
void Wire::start_all(int first, int end, std::byte* base, const Block* blocks) {
    for (int peer = first; peer != end; peer += sends ? 1 : -1) {
        peer = start_singles<sends>(peer, end, base, blocks);
        if (peer == end) return;
        if (sends)
            send(peer, base + blocks[peer].offset, blocks[peer].size);
        else
            receive(peer, base + blocks[peer].offset, blocks[peer].size);
    }
}

} // namespace switchyard::algorithms
