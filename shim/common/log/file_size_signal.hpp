// A limit on the size of files (ulimit -f) ends a program that writes past it by a signal, SIGXFSZ. That may
// be what the host wants for its own files; ours are no reason to end it. While one of these lives, this
// thread's writes fail with EFBIG instead.
#pragma once

#include <csignal>
#include <ctime>

namespace switchyard::shim::log {

class FileSizeSignalBlocked {
  public:
    FileSizeSignalBlocked() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        sigset_t pending;
        was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
        blocked_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
    }
    ~FileSizeSignalBlocked() {
        if (!blocked_) return;
        if (!was_pending_) { // what is pending now is ours
            timespec now{};
            sigtimedwait(&signal_, nullptr, &now);
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
    FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

  private:
    sigset_t signal_, before_;
    bool was_pending_ = false, blocked_ = false;
};

} // namespace switchyard::shim::log
