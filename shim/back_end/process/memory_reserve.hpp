// Address space for the end of a run. A program may be at its limit (RLIMIT_AS) by then, and an MPI library
// that finds no memory for the messages of our merge may end the program: MPICH does. Nothing touches the
// space, so it takes no memory.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace switchyard::shim {

class MemoryReserve {
  public:
    static constexpr std::size_t bytes = std::size_t{4} << 20;
    static constexpr std::size_t for_messages = bytes / 2; // UCX takes them 1 MiB at a time

    MemoryReserve() = default;
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve() { release(); }

    // Without room there is no reserve.
    void take() {
        if (space_ == MAP_FAILED) space_ = map(bytes);
    }
    void release() {
        if (space_ != MAP_FAILED) munmap(space_, bytes);
        space_ = MAP_FAILED;
    }
    // Throws std::bad_alloc if this rank's own work has left the MPI no room for its messages.
    static void demand_room_for_messages() {
        void* const room = map(for_messages);
        if (room == MAP_FAILED) throw std::bad_alloc();
        munmap(room, for_messages);
    }

  private:
    static void* map(std::size_t size) {
        return mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }

    void* space_ = MAP_FAILED;
};

} // namespace switchyard::shim
