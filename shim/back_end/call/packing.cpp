#include "packing.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"

#include <algorithm>
#include <cstring>

namespace switchyard::shim {

using algorithms::Block;

namespace {

std::byte* pointer(std::uintptr_t address) {
    return reinterpret_cast<std::byte*>(address);
}

MPI_Comm carrier_of(const CommResources& resources) {
    return algorithms::mpi_of(resources.group.carrier_comm());
}

} // namespace

Packing::Packing(const CallArgs& call, CommResources& resources, const Peers& peers, const CallTypes& types)
    : sends_one_block_(algorithms::traits_of(call.collective).sends_one_block()),
      has_to_fit_(!peers.are_neighbors && (sends_one_block_ || !call.recv.counts.is_array())),
      resources_(resources), rank_(resources.group.rank), send_{Blocks::sent(call, peers, types)},
      recv_{Blocks::received(call, peers, types, &send_.blocks)} {
    const auto is_taken = [&](const Side& side) {
        return side.blocks.are_committed(types.keyval, carrier_of(resources_));
    };
    has_uncommitted_type_ = !is_taken(send_) || !is_taken(recv_);
    recv_.packed = !recv_.blocks.are_dense();
    // In place, arriving blocks would overwrite the blocks to be sent. The one block for
    // everybody stays in its place.
    send_.copies_all = call.in_place() && !sends_one_block_;
    send_.packed = send_.copies_all || !send_.blocks.are_dense();
}

void Packing::note_spans(const Blocks& blocks, std::span<Block> spans) {
    for (int i = 0; i < static_cast<int>(spans.size()); ++i)
        spans[static_cast<std::size_t>(i)] = blocks.span(i);
}

// The blocks of one side do not overlap each other, so two sorted lists are enough.
bool Packing::overlaps() {
    auto send = send_list();
    auto recv = recv_list();
    note_spans(send_.blocks, send);
    note_spans(recv_.blocks, recv);
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

std::size_t Packing::Side::packed_bytes() const {
    std::size_t bytes = 0;
    for (int i = 0; packed && i < blocks.number(); ++i)
        if (packs(i)) bytes += blocks.size(i);
    return bytes;
}

bool Packing::reserve() {
    using algorithms::Workspace;
    std::size_t need = 0;
    if (send_.packed) need += Workspace::rounded(send_.packed_bytes());
    if (recv_.packed) need += Workspace::rounded(recv_.packed_bytes());
    return need == 0 || resources_.packing.reserve(need);
}

void Packing::move(std::uintptr_t send_distance, std::uintptr_t recv_distance) {
    send_.blocks.move(send_distance);
    recv_.blocks.move(recv_distance);
}

// Lays out one block after the other, each at an address. Displacements may be negative and out of order, so
// offsets count from the lowest address. An empty block may have any displacement and does not count.
template <typename Place>
void Packing::lay_out(Side& side, std::span<Block> blocks, Place place) {
    constexpr auto none = ~std::uintptr_t{0};
    auto lowest = none;
    side.blocks.for_each([&](int i, std::size_t bytes, std::uintptr_t address) {
        address = place(i, bytes, address);
        blocks[static_cast<std::size_t>(i)] = {address, bytes};
        if (bytes > 0) lowest = std::min(lowest, address);
    });
    side.origin = lowest == none ? 0 : lowest;
    for (Block& block : blocks) block.offset = block.size > 0 ? block.offset - side.origin : 0;
}

// Blocks that need no packing stay where they lie; only packed blocks get a place in `memory`.
void Packing::lay_out_packed(Side& side, std::span<Block> blocks, std::byte* memory) {
    auto next = reinterpret_cast<std::uintptr_t>(memory);
    lay_out(side, blocks, [&](int i, std::size_t bytes, std::uintptr_t address) {
        if (!side.packs(i)) return address;
        const auto place = next;
        next += bytes;
        return place;
    });
}

void Packing::lay_out_in_place(Side& side, std::span<Block> blocks) {
    lay_out(side, blocks, [](int, std::size_t, std::uintptr_t address) { return address; });
}

int Packing::pack_send() {
    for (int i = 0; i < send_.blocks.number(); ++i) {
        const auto& block = resources_.send[static_cast<std::size_t>(i)];
        if (block.size == 0 || !send_.packs(i)) continue;
        const auto* items = pointer(send_.blocks.address(i));
        auto* const bytes = pointer(send_.origin) + block.offset;
        if (send_.blocks.is_dense(i)) {
            std::memcpy(bytes, items, block.size);
            continue;
        }
        const int code =
            pack(items, send_.blocks.count(i), send_.blocks.type(i), bytes, carrier_of(resources_));
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

int Packing::load_send() {
    if (!send_.packed) {
        lay_out_in_place(send_, send_list());
        return MPI_SUCCESS;
    }
    lay_out_packed(send_, send_list(), resources_.packing.take(send_.packed_bytes()).data());
    return pack_send();
}

// An erroneous program may send longer blocks than it receives. If a call has one count, or one
// block for everybody, the algorithms assume that blocks are as large as their places, and would
// overrun the receive buffer.
int Packing::cut_what_is_too_long() {
    if (!has_to_fit_) return MPI_SUCCESS;
    const auto send = send_list();
    const auto room = resources_.recv[static_cast<std::size_t>(rank_)].size;
    if (send.front().size <= room) return MPI_SUCCESS;
    for (auto& block : send) block.size = room;
    return MPI_ERR_TRUNCATE;
}

int Packing::load() {
    if (recv_.packed)
        lay_out_packed(recv_, recv_list(), resources_.packing.take(recv_.packed_bytes()).data());
    else
        lay_out_in_place(recv_, recv_list());
    const int code = load_send();
    const int cut = cut_what_is_too_long();
    return code != MPI_SUCCESS ? code : cut;
}

int Packing::unload() {
    if (!recv_.packed) return MPI_SUCCESS;
    for (int i = 0; i < recv_.blocks.number(); ++i) {
        const auto& block = resources_.recv[static_cast<std::size_t>(i)];
        if (block.size == 0 || !recv_.packs(i)) continue;
        const int code = unpack(pointer(recv_.origin) + block.offset, pointer(recv_.blocks.address(i)),
                                recv_.blocks.count(i), recv_.blocks.type(i), carrier_of(resources_));
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

Packing::OwnBlock Packing::take_own_block() {
    auto& sent = resources_.send[sends_one_block_ ? 0 : static_cast<std::size_t>(rank_)];
    auto& received = resources_.recv[static_cast<std::size_t>(rank_)];
    OwnBlock own;
    own.to = pointer(recv_.origin) + received.offset;
    own.from = pointer(send_.origin) + sent.offset;
    own.bytes = own.to == own.from ? 0 : std::min(sent.size, received.size);
    own.fits = sent.size <= received.size;
    if (!sends_one_block_) {
        sent.size = received.size = 0;
        return own;
    }
    sent.offset = received.offset; // as in place: the block lies there already
    send_.origin = recv_.origin;
    return own;
}

algorithms::Exchange Packing::exchange(std::size_t max_block) const {
    return {resources_.group,      pointer(send_.origin), send_list(),
            pointer(recv_.origin), recv_list(),           max_block};
}

} // namespace switchyard::shim
