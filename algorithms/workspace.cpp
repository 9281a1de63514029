#include "workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace switchyard::algorithms {

bool Workspace::reserve(std::size_t bytes) {
    taken_ = most_taken_ = 0;
    if (bytes <= capacity_) {
        return true;
    }
    if (bytes > SIZE_MAX / 2) {
        return false; // a formula that overflowed, or nearly
    }
    const std::size_t size = rounded(bytes);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
    if (memory == nullptr) {
        return false;
    }
    memory_.reset(memory);
    capacity_ = size;
    return true;
}

std::span<std::byte> Workspace::take(std::size_t bytes) {
    if (bytes == 0 || bytes > capacity_ - taken_) { // both are multiples of `alignment`, so rounding fits too
        return {};
    }
    std::byte* begin = memory_.get() + taken_;
    taken_ += rounded(bytes);
    most_taken_ = std::max(most_taken_, taken_);
    return {begin, bytes};
}

void Workspace::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

} // namespace switchyard::algorithms
