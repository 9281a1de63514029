// A lock that thread sanitizer does not see: it orders nothing for it. Only in files that are compiled
// without the sanitizer.
#pragma once

#include <atomic>
#include <sched.h>

namespace switchyard::tests::threads {

class SpinLock {
  public:
    void lock() {
        while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    void unlock() { taken_.clear(std::memory_order_release); }

  private:
    std::atomic_flag taken_;
};

} // namespace switchyard::tests::threads
