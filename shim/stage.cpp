#include "stage.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace switchyard::shim {

using algorithms::Block;

namespace {

std::byte* pointer(std::uintptr_t address) {
    return reinterpret_cast<std::byte*>(address);
}

} // namespace

Stage::Stage(const CallArgs& call, CommState& state, int datatype_keyval)
    : call_(call), rails_(*state.rails()),
      rank_(state.rank()), send_{reinterpret_cast<std::uintptr_t>(call.outgoing().buffer),
                                 inspect(call.outgoing().type, datatype_keyval)},
      recv_{reinterpret_cast<std::uintptr_t>(call.recv.buffer), inspect(call.recv.type, datatype_keyval)} {
    recv_.packed = !recv_.type.dense;
    // In place, what is sent would be overwritten by what arrives; an allgather's own block stays where it
    // is.
    send_.packed = !send_.type.dense || (call.in_place() && call.collective != Collective::allgather);
    for (int i = 0; i < send_blocks(); ++i) send_.bytes += size(send_side(), send_, i);
    for (int i = 0; i < rails_.group.size; ++i) recv_.bytes += size(call_.recv, recv_, i);
}

std::int64_t Stage::count(const CallArgs::Side& side, int i) const {
    return call_.collective == Collective::alltoallv ? side.counts[i] : side.counts.value();
}

std::size_t Stage::size(const CallArgs::Side& side, const Items& items, int i) const {
    return static_cast<std::size_t>(count(side, i)) * items.type.size;
}

std::uintptr_t Stage::address(const CallArgs::Side& side, const Items& items, int i) const {
    std::int64_t item = i * count(side, i);
    if (call_.collective == Collective::alltoallv) item = side.displacements[i];
    if (call_.collective == Collective::allgather && &items == &send_)
        item = call_.in_place() ? rank_ * count(side, i) : 0;
    return items.base + static_cast<std::uintptr_t>(item * items.type.extent);
}

// From the first byte of a block to behind its last, as addresses.
Block Stage::span_of(const CallArgs::Side& side, const Items& items, int i) const {
    const auto bytes = size(side, items, i);
    const auto begin = address(side, items, i);
    if (bytes == 0 || items.type.dense) return {begin, bytes};
    MPI_Aint first = 0, extent = 0;
    PMPI_Type_get_true_extent(items.type.handle, &first, &extent);
    const auto last =
        (count(side, i) - 1) * items.type.extent; // the last item's place; extents may be negative
    return {begin + static_cast<std::uintptr_t>(first + std::min<std::int64_t>(last, 0)),
            static_cast<std::size_t>(std::abs(last) + extent)};
}

void Stage::note_spans(const CallArgs::Side& side, const Items& items, std::span<Block> spans) const {
    for (int i = 0; i < static_cast<int>(spans.size()); ++i)
        spans[static_cast<std::size_t>(i)] = span_of(side, items, i);
}

// The blocks of one side do not overlap each other, so two sorted lists are enough.
bool Stage::overlaps() {
    auto send = std::span(rails_.send).first(static_cast<std::size_t>(send_blocks()));
    auto recv = std::span(rails_.recv);
    note_spans(send_side(), send_, send);
    note_spans(call_.recv, recv_, recv);
    std::ranges::sort(send, {}, &Block::offset);
    std::ranges::sort(recv, {}, &Block::offset);
    for (std::size_t s = 0, r = 0; s < send.size() && r < recv.size();) {
        const auto send_end = send[s].offset + send[s].size, recv_end = recv[r].offset + recv[r].size;
        const bool apart = send_end <= recv[r].offset || recv_end <= send[s].offset;
        if (!apart && send[s].size > 0 && recv[r].size > 0) return true;
        send_end <= recv_end ? ++s : ++r;
    }
    return false;
}

bool Stage::reserve() {
    using algorithms::Workspace;
    std::size_t need = 0;
    if (send_.packed) need += Workspace::rounded(send_.bytes);
    if (recv_.packed) need += Workspace::rounded(recv_.bytes);
    return need == 0 || rails_.staging.reserve(need);
}

// Blocks where they lie: displacements may be negative and out of order, so offsets count from the lowest
// address. Blocks of no bytes may be displaced to anywhere and do not count.
void Stage::lay_out_in_place(const CallArgs::Side& side, Items& items, std::span<Block> blocks) {
    items.origin = ~std::uintptr_t{0};
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i)
        if (size(side, items, i) > 0) items.origin = std::min(items.origin, address(side, items, i));
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
        auto bytes = size(side, items, i);
        blocks[static_cast<std::size_t>(i)] = {bytes > 0 ? address(side, items, i) - items.origin : 0, bytes};
    }
    if (items.bytes == 0) items.origin = 0;
}

void Stage::lay_out_packed(const CallArgs::Side& side, Items& items, std::span<Block> blocks,
                           std::byte* memory) {
    items.origin = reinterpret_cast<std::uintptr_t>(memory);
    std::size_t offset = 0;
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
        auto bytes = size(side, items, i);
        blocks[static_cast<std::size_t>(i)] = {offset, bytes};
        offset += bytes;
    }
}

int Stage::pack_send(std::byte* memory) {
    for (int i = 0; i < send_blocks(); ++i) {
        const auto& block = rails_.send[static_cast<std::size_t>(i)];
        if (block.size == 0) continue;
        const auto* items = pointer(address(send_side(), send_, i));
        if (send_.type.dense) {
            std::memcpy(memory + block.offset, items, block.size);
            continue;
        }
        int code = pack(items, count(send_side(), i), send_.type, memory + block.offset, rails_.group.comm);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

int Stage::load() {
    auto send_span = std::span(rails_.send).first(static_cast<std::size_t>(send_blocks()));
    if (recv_.packed)
        lay_out_packed(call_.recv, recv_, rails_.recv, rails_.staging.take(recv_.bytes).data());
    else
        lay_out_in_place(call_.recv, recv_, rails_.recv);
    if (!send_.packed) {
        lay_out_in_place(send_side(), send_, send_span);
        return MPI_SUCCESS;
    }
    auto* memory = rails_.staging.take(send_.bytes).data();
    lay_out_packed(send_side(), send_, send_span, memory);
    return pack_send(memory);
}

int Stage::unload() {
    if (!recv_.packed) return MPI_SUCCESS;
    for (int i = 0; i < rails_.group.size; ++i) {
        const auto& block = rails_.recv[static_cast<std::size_t>(i)];
        if (block.size == 0) continue;
        int code = unpack(pointer(recv_.origin) + block.offset, pointer(address(call_.recv, recv_, i)),
                          count(call_.recv, i), recv_.type, rails_.group.comm);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

algorithms::Exchange Stage::exchange(std::size_t max_block) const {
    return {rails_.group,
            pointer(send_.origin),
            std::span(rails_.send).first(static_cast<std::size_t>(send_blocks())),
            pointer(recv_.origin),
            rails_.recv,
            max_block};
}

} // namespace switchyard::shim
