#include "host_memory.hpp"

#include <algorithm>
#include <bit>
#include <sys/mman.h>

namespace switchyard::shim::device {

namespace {

constexpr std::size_t page = 4096;

// Grows in steps of a quarter, since pinning is slow and blocks may grow slowly.
std::size_t rounded(std::size_t bytes) {
    const auto step = std::max<std::size_t>(16 * page, std::bit_floor(bytes) / 4);
    return (bytes + step - 1) / step * step;
}

} // namespace

// The pages are our own, and the driver pins them. The program may reset the context at any time: our pages
// then stay readable and writable; the driver's memory would not.
bool HostMemory::reserve(std::size_t bytes, const Runtime* runtime, const Location& location) {
    if (bytes <= capacity_) {
        if (pinned_by_ != nullptr && !is_pinned()) pin_again(location);
        return true;
    }
    if (bytes > SIZE_MAX / 2) return false;
    const auto size = rounded(bytes);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    release();
    memory_ = static_cast<std::byte*>(memory);
    capacity_ = size;
    if (runtime == nullptr) return true;
    const Within place(*runtime, location);
    if (place && runtime->pin(memory, size)) {
        pinned_by_ = runtime;
        pinned_in_ = runtime->place(location);
    }
    return true;
}

bool HostMemory::is_pinned() const {
    return pinned_by_ != nullptr && (pinned_by_->is_alive(pinned_in_) || pinned_by_->locate(memory_).known);
}

// A reset of the context undoes the pinning.
void HostMemory::pin_again(const Location& location) {
    const Within place(*pinned_by_, location);
    if (place && pinned_by_->pin(memory_, capacity_)) pinned_in_ = pinned_by_->place(location);
}

void HostMemory::release() {
    if (memory_ == nullptr) return;
    if (is_pinned()) {
        const Within place(*pinned_by_, pinned_in_);
        pinned_by_->unpin(memory_);
    }
    munmap(memory_, capacity_);
    memory_ = nullptr;
    capacity_ = 0;
    pinned_by_ = nullptr;
}

} // namespace switchyard::shim::device
