// Finds a GPU's driver library that the program has loaded, and asks it about addresses. We load nothing.
#pragma once

#include "runtime.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace switchyard::shim::device {

class Devices {
  public:
    // From here on nothing is looked for.
    void set_off() { off_ = true; }
    bool are_off() const { return off_; }

    // Whether this process can have device memory. `now`: nanoseconds of a clock that the caller has
    // read anyway, or coarse_ns(). Programs load the driver late (CUDA's static runtime library at its
    // first call), so a look without a result is repeated after at least a millisecond (by the coarse
    // clock, up to ten). No pointer to device memory gets past us unseen: starting the driver and making
    // a context takes far longer.
    bool are_here(std::uint64_t now) {
        if (runtime_.load(std::memory_order_acquire) != nullptr) return true;
        if (now - last_look_.load(std::memory_order_relaxed) < between_looks) return false;
        return look(now);
    }
    bool are_here(); // looks now

    const Runtime* runtime() const { return runtime_.load(std::memory_order_acquire); }
    Location locate(const void* address) const {
        const Runtime* found = runtime();
        return found == nullptr || address == nullptr ? Location{} : found->locate(address);
    }

    // Whether the machine seems to have a GPU: then the program may load a driver later.
    static bool may_come();

    static constexpr std::uint64_t between_looks = 1'000'000; // nanoseconds

  private:
    bool look(std::uint64_t now);

    std::atomic<Runtime*> runtime_{nullptr};
    std::atomic<std::uint64_t> last_look_{0 - between_looks};
    bool off_ = false;
    std::mutex looking_;
    unsigned long long loads_seen_ = 0; // the loader's count of objects at the last search
    std::unique_ptr<Runtime> owner_;
};

} // namespace switchyard::shim::device
