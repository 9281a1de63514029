// How an exchange ended.
#pragma once

#include <climits>
#include <cstddef>

namespace switchyard::algorithms {

// Our own errors, in addition to MPI's error codes. MPI's codes are never negative.
enum class Fault : int {
    truncated = INT_MIN, // a block is larger than its destination expects
    no_memory,
    unordered, // blocks overlap so that no order of moves is right
    lost       // a rank of this node is dead, or cannot be waited for
};

struct [[nodiscard]] Status {
    int code = 0; // an error code of the MPI library in use, or a Fault (mpi_types.hpp). 0: no error

    constexpr Status() = default;
    constexpr Status(Fault fault) : code(static_cast<int>(fault)) {}
    constexpr explicit Status(int code_of_mpi) : code(code_of_mpi) {}

    bool ok() const { return code == 0; }
    // Remembers the first error. An exchange goes on after an error, since other ranks wait for our messages.
    void keep(Status later) {
        if (ok()) code = later.code;
    }
};

// An error where a block of `bytes` bytes does not fit into a place with room for `room` bytes.
inline Status fits(std::size_t bytes, std::size_t room) {
    return bytes <= room ? Status() : Status(Fault::truncated);
}

} // namespace switchyard::algorithms
