// What an algorithm sees of a call: bytes, blocks and partners. No datatypes, no MPI_IN_PLACE, no
// communicator of the application.
#pragma once

#include "block.hpp"
#include "group.hpp"

#include <cstddef>
#include <span>

namespace switchyard::algorithms {

// One shape for all three collectives. The send and receive sides never overlap, except that an allgather's
// own block may already lie in its place (same address on both sides), and where an algorithm
// `takes_overlap`: there blocks of one side may lie in any way over blocks of the other.
struct Exchange {
    const Group& group;
    const std::byte* send_base;
    std::span<const Block> send; // by destination; allgather: one block, for everybody
    std::byte* recv_base;
    std::span<const Block> recv; // by source
    // Largest block that any rank sends to any other, in bytes, the same on all ranks. Only there for
    // algorithms that declare `agreed_block`, and for alltoall and allgather, where MPI itself guarantees it.
    std::size_t max_block;

    const std::byte* send_to(int destination) const {
        return send_base + send[static_cast<std::size_t>(destination)].offset;
    }
    std::size_t send_size(int destination) const { return send[static_cast<std::size_t>(destination)].size; }
    std::byte* recv_from(int source) const {
        return recv_base + recv[static_cast<std::size_t>(source)].offset;
    }
    std::size_t recv_size(int source) const { return recv[static_cast<std::size_t>(source)].size; }
};

} // namespace switchyard::algorithms
