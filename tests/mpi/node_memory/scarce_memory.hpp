// A system without memory for files, as a rank of a test wants it.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>

namespace switchyard::tests {

// Ranks may be threads.
inline thread_local bool memory_is_scarce = false;
inline thread_local std::uint64_t times_refused = 0;

} // namespace switchyard::tests

// In place of the C library's, for the whole program.
extern "C" int posix_fallocate(int file, off_t offset, off_t bytes) {
    if (switchyard::tests::memory_is_scarce) {
        ++switchyard::tests::times_refused;
        return ENOSPC;
    }
    return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}
