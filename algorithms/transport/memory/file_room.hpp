// Room in a file, so that its pages are there before somebody writes to them. No MPI.
#pragma once

#include <cerrno>
#include <csignal>
#include <fcntl.h>

namespace switchyard::algorithms {

// Calls posix_fallocate and returns its answer. Signals wait meanwhile. On some systems a profiler's timer
// interrupts the call again and again: each time it undoes its work and returns EINTR.
inline int make_room(int file, off_t offset, off_t bytes) {
    sigset_t all, before;
    sigfillset(&all);
    const bool are_blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    int error = EINTR;
    constexpr int most_tries = 100; // a process that is stopped and goes on is interrupted all the same
    for (int tries = 0; error == EINTR && tries < most_tries; ++tries)
        error = posix_fallocate(file, offset, bytes);
    if (are_blocked) pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
}

} // namespace switchyard::algorithms
