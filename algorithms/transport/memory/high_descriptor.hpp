// Our descriptors have high numbers, out of the way of programs that expect low numbers for
// files of their own. No MPI.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace switchyard::algorithms {

// A process begins with a table of 64 descriptors. Where the process has threads, Linux waits some 10 ms to
// make the table larger.
inline constexpr int lowest_descriptor = 48;

// The same file under a high number, closed on exec; under its own number where the process has no high
// number left. Does not change errno, and passes -1 through.
inline int moved_up(int file) {
    if (file < 0 || file >= lowest_descriptor) return file;
    const int before = errno;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, lowest_descriptor);
    errno = before;
    if (moved < 0) return file;
    close(file);
    return moved;
}

} // namespace switchyard::algorithms
