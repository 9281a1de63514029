// Address space for the end of a run. A program may be at its limit (RLIMIT_AS) by then, and an MPI library
// that finds no memory for the messages of our merge may end the program: MPICH does. Nothing touches the
// space, so it takes no memory.
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace switchyard::shim {

class MemoryReserve {
  public:
    static constexpr std::size_t bytes = std::size_t{4} << 20;

    MemoryReserve() = default;
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve() { release(); }

    // Without room there is no reserve.
    void take() {
        if (space_ == MAP_FAILED)
            space_ = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    void release() {
        if (space_ != MAP_FAILED) munmap(space_, bytes);
        space_ = MAP_FAILED;
    }

  private:
    void* space_ = MAP_FAILED;
};

} // namespace switchyard::shim
