#include "workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace switchyard::algorithms {

namespace {

std::byte* aligned(std::byte* memory) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(memory) % Workspace::alignment;
    return beyond == 0 ? memory : memory + (Workspace::alignment - beyond);
}

// Nobody may use the bytes that are there only for the alignment.
void guard([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::byte* end) {
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(begin, static_cast<std::size_t>(end - begin));
#endif
}

} // namespace

// Takes memory only from malloc. The program may bring an allocator without aligned_alloc or
// posix_memalign. The loader would then take these from the C library, but free() from the allocator, which
// does not know such memory.
bool Workspace::reserve(std::size_t bytes) {
    taken_ = most_taken_ = 0;
    if (bytes <= capacity_) {
        return true;
    }
    if (bytes > SIZE_MAX / 2) {
        return false; // a formula that overflowed, or nearly
    }
    const std::size_t size = rounded(bytes);
    const std::size_t with_alignment = size + alignment - 1;
    auto* memory = static_cast<std::byte*>(std::malloc(with_alignment));
    if (memory == nullptr) {
        return false;
    }
    memory_.reset(memory);
    begin_ = aligned(memory);
    guard(begin_ + size, memory + with_alignment);
    capacity_ = size;
    return true;
}

std::span<std::byte> Workspace::take(std::size_t bytes) {
    if (bytes == 0 || bytes > capacity_ - taken_) { // both are multiples of `alignment`, so rounding fits too
        return {};
    }
    std::byte* begin = begin_ + taken_;
    taken_ += rounded(bytes);
    most_taken_ = std::max(most_taken_, taken_);
    return {begin, bytes};
}

void Workspace::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

} // namespace switchyard::algorithms
