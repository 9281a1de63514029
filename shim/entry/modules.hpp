// The objects that are loaded in this process: which one is the MPI, and which are its Fortran layer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace switchyard::shim {

enum class Caller : std::uint8_t {
    application, // or one of its libraries, or a tool
    fortran,     // the MPI's Fortran layer, which calls for the application
    mpi,         // the MPI library itself, for example its ROMIO: such calls are never routed
};

// Who made a call of `MPI_X`, by its return address. Cheap after the first call from that address.
Caller caller_at(const void* return_address);

// Whether a call of `PMPI_X` is the application's. Takes a tenth of a microsecond if the call came neither
// from the MPI nor from its Fortran layer.
bool is_from_fortran_layer(const void* return_address);

// Places from which the application has called. A call from such a place counts as the application's without
// a look at the objects.
class CallSites {
  public:
    static bool has(const void* return_address) {
        const auto address = reinterpret_cast<std::uintptr_t>(return_address);
        return place_of(address).load(std::memory_order_relaxed) == address;
    }
    static void add(const void* return_address) {
        const auto address = reinterpret_cast<std::uintptr_t>(return_address);
        place_of(address).store(address, std::memory_order_relaxed);
    }

  private:
    static constexpr std::size_t most = 64;
    static std::atomic<std::uintptr_t>& place_of(std::uintptr_t address) {
        return places_[(address ^ (address >> 6)) % most];
    }
    static std::atomic<std::uintptr_t> places_[most];
};

// The loaded MPI library.
struct MpiLibrary {
    char path[4096];
    void* handle;      // for dlsym; null when no MPI library is loaded
    char second[4096]; // another MPI library, of another path; empty where there is none
};

// Looks through the loaded objects. Keeps the address ranges of the MPI and its Fortran layer for
// is_from_fortran_layer and caller_at.
MpiLibrary find_mpi_library();

// Calls from the object at this address count as the MPI's own from now on. The object stays open.
void take_for_mpi(const void* address);

// True when the address lies in the MPI library.
bool in_mpi(const void* address);

// Whether a file is one of the libraries that call for a Fortran program.
bool is_fortran_layer(const char* path);

// Calls the function now, and whenever a call's place shows that the process has opened objects since the
// last look. False: the function wants to be called again, since the loader was still working. Set once,
// before a second thread calls MPI.
void call_when_opened(bool (*function)());

// What a symbol means in the object of that address: looked up in that object, then in the libraries that it
// names. Null where none of them has it.
void* symbol_for(const void* address, const char* symbol);

// Whether a path's file name begins with `beginning`.
bool is_file_of(const char* path, const char* beginning);

// True when all of a library's contents are there. Opening half a file, as a full disk leaves it, ends the
// process with a signal.
bool is_whole_library(const char* path);

// True when an MPI is linked into this program statically, where no preload can reach it.
bool program_has_static_mpi();

} // namespace switchyard::shim
