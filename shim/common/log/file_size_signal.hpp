// If files have a size limit (ulimit -f), a write past it ends the program with a signal, SIGXFSZ. Our
// files are no reason to end the program. While an object of this class lives, such writes of this thread
// fail with EFBIG instead.
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
        if (!was_pending_) { // a signal that is pending now is from our write
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
