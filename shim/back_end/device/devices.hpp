// Whether this process has a GPU's library loaded, and what that knows of an address. Nothing is loaded by us.
#pragma once

#include "runtime.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace switchyard::shim::device {

class Devices {
  public:
    // `off`: nobody ever looks.
    void set_off() { off_ = true; }

    // Whether there can be device memory in this process. `now`: of a clock in nanoseconds that the caller has
    // read anyway. Programs load the driver late (CUDA's static runtime library at its first call), so a look
    // that found none is repeated, but not within a millisecond: from loading the driver until there is a
    // pointer to device memory it has to be started and a context made, which takes far longer. So no such
    // pointer gets past us unseen.
    bool are_here(std::uint64_t now) {
        if (runtime_.load(std::memory_order_acquire) != nullptr) return true;
        if (now - last_look_.load(std::memory_order_relaxed) < between_looks) return false;
        return look(now);
    }
    bool are_here(); // by a look, now

    const Runtime* runtime() const { return runtime_.load(std::memory_order_acquire); }
    Location locate(const void* address) const {
        const Runtime* found = runtime();
        return found == nullptr || address == nullptr ? Location{} : found->locate(address);
    }

    // A clock for callers that have read none: cheap, and exact to some milliseconds, which is enough (above).
    static std::uint64_t coarse_now();

    // Whether the machine has a GPU for all we can see without its driver: then one may be loaded later.
    static bool may_come();

  private:
    static constexpr std::uint64_t between_looks = 1'000'000;
    bool look(std::uint64_t now);

    std::atomic<Runtime*> runtime_{nullptr};
    std::atomic<std::uint64_t> last_look_{0 - between_looks};
    bool off_ = false;
    std::mutex looking_;
    unsigned long long loads_seen_ = 0; // by the loader's count
    std::unique_ptr<Runtime> owner_;
};

} // namespace switchyard::shim::device
