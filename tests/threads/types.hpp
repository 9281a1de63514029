// Datatypes: basic ones, and hindexed ones of bytes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

struct MPI_ABI_Datatype {
    struct Piece {
        std::ptrdiff_t offset;
        std::size_t bytes;
    };
    std::vector<Piece> pieces;
    std::ptrdiff_t extent;
};

namespace switchyard::tests::threads {

// Where so many items of a buffer lie.
struct Items {
    std::byte* buffer;
    int count;
    MPI_Datatype type;

    std::size_t bytes() const;
    Items from(std::ptrdiff_t items, int how_many) const; // of these, behind so many
    void copy_to(std::byte* packed) const;
    void take_from(std::span<const std::byte> packed) const; // no more than there is room for
};

bool is_basic(MPI_Datatype type);

// A buffer that is only sent is only read.
inline Items items(const void* buffer, int count, MPI_Datatype type) {
    return {static_cast<std::byte*>(const_cast<void*>(buffer)), count, type};
}

} // namespace switchyard::tests::threads
