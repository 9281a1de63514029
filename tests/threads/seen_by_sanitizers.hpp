// What thread sanitizer is told where it cannot see by itself. Without it nothing happens.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void __tsan_read_range(void* address, unsigned long bytes);
}

namespace switchyard::tests::threads {

// Whatever this thread did until now comes before what another thread does after
// came_after() with this address.
inline void comes_before(void* address) {
    if (__tsan_release != nullptr) __tsan_release(address);
}
inline void came_after(void* address) {
    if (__tsan_acquire != nullptr) __tsan_acquire(address);
}
inline void is_read(void* address, std::size_t bytes) {
    if (__tsan_read_range != nullptr) __tsan_read_range(address, bytes);
}

} // namespace switchyard::tests::threads
