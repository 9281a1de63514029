#include "workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace switchyard::algorithms {

namespace {

std::byte* aligned(std::byte* memory) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(memory) % Workspace::alignment;
    return beyond == 0 ? memory : memory + (Workspace::alignment - beyond);
}

// Large memory is a mapping of its own. free() of so much may give the top of the program's heap back to the
// system, and teaches malloc to keep more or less of it. A program that uses its own freed memory may
// then die of our free(): LAMMPS 2022 uses such memory where it destroys several plans of FFTW.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t least_mapped_bytes = SIZE_MAX; // malloc's memory has guards around it
#else
constexpr std::size_t least_mapped_bytes = std::size_t{64} << 10;
#endif

std::byte* mapped(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// Nobody may use the bytes that are there only for the alignment.
void guard([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::byte* end) {
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(begin, static_cast<std::size_t>(end - begin));
#endif
}

} // namespace

// Takes small memory only from malloc. The program may bring an allocator without aligned_alloc or
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
    const bool is_mapped = with_alignment >= least_mapped_bytes;
    auto* memory = is_mapped ? mapped(with_alignment) : static_cast<std::byte*>(std::malloc(with_alignment));
    if (memory == nullptr) {
        return false;
    }
    memory_ = {memory, Free{is_mapped ? with_alignment : 0}};
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
    if (mapped_bytes > 0)
        munmap(memory, mapped_bytes);
    else
        std::free(memory);
}

} // namespace switchyard::algorithms
