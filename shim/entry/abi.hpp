// What the entry stub and a back end say to each other. Machine words only: the two are compiled apart, one
// of them without any MPI header.
#pragma once

#include <cstdint>

namespace switchyard::shim {

using Word = std::uintptr_t;

// Who called, and by which name. MPI's Fortran layer calls either one; what is passed on goes the way it
// came.
enum class Binding : std::uint8_t { c, fortran, fortran_by_pmpi };

// Functions of the loaded MPI, by entry; null where that MPI has none.
struct MpiFunctions {
#define SWITCHYARD_DECLARE(name, words, values) int(*name) words = nullptr;
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
};

// What the entry found in the process.
struct Host {
    std::uint32_t version; // of this structure: Host::current
    MpiFunctions next; // what `MPI_X` would have been without us: MPI itself, or a tool preloaded below us
    MpiFunctions mpi;  // `PMPI_X`
    const char* library_version; // MPI_Get_library_version
    const char* mpi_path;        // the loaded MPI library
    bool tool_below;             // next differs from mpi
    static constexpr std::uint32_t current = 1;
};

// What a back end does with an application's call: the arguments of the call, then who made it.
struct BackEnd {
#define SWITCHYARD_AND_BINDING(...) (__VA_ARGS__, Binding binding)
#define SWITCHYARD_DECLARE(name, words, values) int(*name) SWITCHYARD_AND_BINDING words = nullptr;
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
#undef SWITCHYARD_AND_BINDING
};

// A function of machine words as the function it really is, or back. The calling conventions that we run on
// pass handles, pointers, ints and counts alike, one word each.
template <typename To, typename From>
To retyped(From function) {
    return reinterpret_cast<To>(reinterpret_cast<void (*)()>(function));
}

// Every back end exports this name. Null: it will not serve this MPI, and has said why.
inline constexpr const char* back_end_symbol = "switchyard_back_end";
using OpenBackEnd = const BackEnd* (*)(const Host*);

} // namespace switchyard::shim
