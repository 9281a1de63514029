// The interface between libswitchyard.so (the entry) and a back end. It has machine words only: the entry
// is compiled without any MPI header.
#pragma once

#include "clock_ns.hpp"

#include <atomic>
#include <cstdint>

namespace switchyard::shim {

using Word = std::uintptr_t;

// Who called, and by which name: a program `MPI_X`; MPI's Fortran layer `MPI_X` or `PMPI_X`. A native call
// is handed on under the name that it came by.
enum class Binding : std::uint8_t { c, fortran, fortran_by_pmpi };

// Functions of the loaded MPI, by entry; null where that MPI has none. A missing `X_c` is
// made from `X` (narrow.hpp).
struct MpiFunctions {
#define SWITCHYARD_DECLARE(name, words, values) int(*name) words = nullptr;
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
};

// The routed collectives, by line of collectives.def.
enum class Routed : std::uint8_t {
#define SWITCHYARD_COLLECTIVE(name, ...) name,
#include "algorithms/collectives.def"
};

// Which calls the entry forwards without the back end: some collectives on one communicator, where
// nobody routes, records or looks at the call. Each thread has its own. The back end fills it when it
// has forwarded such a call.
struct AtOnce {
    Word comm, comm_bits;      // the communicator's handle, and the significant bits of its word
    std::uint32_t collectives; // bits, by Routed
    std::uint64_t* calls;      // counts them; null: there is no such communicator
    // Counts communicators that were freed, and the run's end. After the next such
    // event nothing here is valid.
    const std::atomic<std::uint64_t>* freed;
    std::uint64_t freed_then;
    // By coarse_ns(). At this time the back end looks again whether the program has loaded a GPU's driver.
    std::uint64_t until;
    static constexpr std::uint64_t always = UINT64_MAX; // as `until`: nobody looks

    bool takes(Routed collective, Word on) const {
        return calls != nullptr && ((on ^ comm) & comm_bits) == 0 &&
               (collectives >> static_cast<unsigned>(collective) & 1U) != 0 &&
               freed->load(std::memory_order_acquire) == freed_then &&
               (until == always || coarse_ns() < until);
    }
};

// What the entry found in the process.
struct LoadedMpi {
    std::uint32_t version;       // of this interface: LoadedMpi::current
    MpiFunctions next;           // `MPI_X` without us: the MPI's, or that of a tool preloaded after us
    MpiFunctions mpi;            // `PMPI_X`
    const char* library_version; // MPI_Get_library_version
    AtOnce& (*at_once)();        // this thread's
    // 201 changes with the structures. One more line in entries.def also changes them, and is counted here.
    static constexpr std::uint32_t current = 201 + sizeof(MpiFunctions) / sizeof(void*);
};

// A back end's functions for an application's calls. They take the arguments of the call, then who made it.
struct BackEnd {
#define SWITCHYARD_AND_BINDING(...) (__VA_ARGS__, Binding binding)
#define SWITCHYARD_DECLARE(name, words, values) int(*name) SWITCHYARD_AND_BINDING words = nullptr;
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
#undef SWITCHYARD_AND_BINDING
};

// Casts a function of machine words to the type that it really has, or back. The calling conventions that
// we run on pass handles, pointers, ints and counts alike, in one word each.
template <typename To, typename From>
To retyped(From function) {
    return reinterpret_cast<To>(reinterpret_cast<void (*)()>(function));
}

// Every back end exports a function and a number with these names. The function is called if the number
// equals the entry's LoadedMpi::current. It returns null, after a warning, if it does not serve this MPI.
inline constexpr const char* back_end_symbol = "switchyard_back_end";
inline constexpr const char* back_end_version_symbol = "switchyard_back_end_version";
using OpenBackEnd = const BackEnd* (*)(const LoadedMpi*);

} // namespace switchyard::shim
