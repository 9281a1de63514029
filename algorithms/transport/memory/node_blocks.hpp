// The blocks of one side of an exchange among the ranks of a node, by local rank, in the forms in which
// callers have them. The memory of the node takes each form as it is: making a list of the blocks would cost
// more than a small exchange.
//
// A form has size(local) in bytes, and at(local). Where large blocks may go directly (direct_blocks.hpp), the
// sent side says whether a size is direct, and the received side hears what each rank sends, even a rank from
// which it expects nothing: NodeWindow::exchange(Exchange).
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

// As MPI_Alltoallv has them: items of `item` bytes without gaps.
struct CountedBlocks {
    std::uintptr_t base; // a number to calculate with: MPI_BOTTOM is 0
    const int *counts, *displacements;
    std::size_t item;

    std::size_t size(int local) const { return static_cast<std::size_t>(counts[local]) * item; }
    std::byte* at(int local) const {
        const auto distance =
            static_cast<std::int64_t>(displacements[local]) * static_cast<std::int64_t>(item);
        return reinterpret_cast<std::byte*>(base + static_cast<std::uintptr_t>(distance));
    }
    static constexpr bool is_direct(std::size_t) { return false; }
    static constexpr bool hears_all() { return false; }
    static constexpr void meets(int, std::size_t) {}
    static constexpr void meets_mark(int) {}
};

// As MPI_Alltoall has them, and as MPI_Allgather has the blocks that it receives.
struct EqualBlocks {
    std::uintptr_t base;
    std::size_t bytes; // of each

    std::size_t size(int) const { return bytes; }
    std::byte* at(int local) const {
        return reinterpret_cast<std::byte*>(base + static_cast<std::uintptr_t>(local) * bytes);
    }
    static constexpr bool is_direct(std::size_t) { return false; }
    static constexpr bool hears_all() { return false; }
    static constexpr void meets(int, std::size_t) {}
    static constexpr void meets_mark(int) {}
};

// Room for nothing.
struct NoBlocks {
    static constexpr std::size_t size(int) { return 0; }
    static constexpr std::byte* at(int) { return nullptr; }
    static constexpr void meets(int, std::size_t) {}
    static constexpr void meets_mark(int) {}
};

} // namespace switchyard::algorithms
