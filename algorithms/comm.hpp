// A communicator, for files that know no MPI.
#pragma once

#include <cstdint>

namespace switchyard::algorithms {

// MPI's own handle is a pointer or a number (mpi_types.hpp).
struct Comm {
    std::uintptr_t handle = 0; // 0: there is no communicator
    explicit operator bool() const { return handle != 0; }
    bool operator==(const Comm&) const = default;
};

} // namespace switchyard::algorithms
