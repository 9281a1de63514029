// A limit on the size of files, as a disk that is full for a while.
#pragma once

#include <csignal>
#include <sys/resource.h>

namespace switchyard::tests {

// Files may grow to that size only, for this process; as a disk that is full, but it can be emptied again.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, before_handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit before_{};
    void (*before_handler_)(int) = nullptr;
};

} // namespace switchyard::tests
