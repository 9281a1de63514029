// Host memory of ours, pinned where the driver can: it grows before a call and is kept.
#pragma once

#include "runtime.hpp"

#include <cstddef>

namespace switchyard::shim::device {

class HostMemory {
  public:
    HostMemory() = default;
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    ~HostMemory() { release(); }

    // Makes data() large enough for that many bytes and loses its contents. False: no memory. Memory that
    // cannot be pinned is used unpinned, and copies take longer. `runtime` null: not pinned.
    bool reserve(std::size_t bytes, const Runtime* runtime, const Location& location);
    std::byte* data() const { return memory_; }
    void release();

  private:
    bool is_pinned() const; // still
    void pin_again(const Location& location);

    std::byte* memory_ = nullptr;
    std::size_t capacity_ = 0;
    const Runtime* pinned_by_ = nullptr;
    Location pinned_in_;
};

} // namespace switchyard::shim::device
