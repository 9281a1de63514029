// The objects loaded in this process, as far as they matter: which one is the MPI, and which hold MPI's own
// Fortran layer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::shim {

enum class Caller : std::uint8_t {
    application, // or a library of its, or a tool
    fortran,     // an MPI library's Fortran layer: it calls on the application's behalf
    mpi,         // the MPI library itself (ROMIO, for one): never ours to route
};

// Who made a call, by its return address. Cheap after the first call from an object.
Caller caller_at(const void* return_address);

// The loaded MPI library.
struct LoadedMpi {
    char path[4096];
    void* handle; // for dlsym; null when no MPI library is loaded
};

// Looks through the loaded objects; remembers the address ranges for caller_at.
LoadedMpi find_loaded_mpi();

// True when the address lies in the MPI library found.
bool in_mpi(const void* address);

// True when this program carries an MPI inside itself, where no preload can reach it.
bool program_has_static_mpi();

} // namespace switchyard::shim
