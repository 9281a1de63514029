// A rank's sums of the calls that are only counted, one sum for each function. They lie in the recorder's
// mapped file, so a killed run has them as well. Each sum takes 64 bytes and holds its function's name: a
// reader needs no table.
#pragma once

#include "shim/entry/counted.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace switchyard::shim::log {

class Recorder;

struct CountedSum {
    char name[32] = {}; // of the collective, and a zero
    std::uint64_t calls = 0;
    std::uint64_t elapsed = 0; // nanoseconds in the calls
    std::uint64_t bytes = 0;   // that the rank sent
    std::uint64_t unused = 0;
};
static_assert(sizeof(CountedSum) == 64);

class CountedSums {
  public:
    // The sums lie in the recorder's ring_file, or in memory if it has none. The recorder must outlive this.
    // `threads`: more than one thread may add at once. May throw.
    CountedSums(const Recorder& recorder, bool threads);
    CountedSums(const CountedSums&) = delete;
    CountedSums& operator=(const CountedSums&) = delete;

    // Any thread, at any time. Without threads no locked instruction is needed.
    void add(Counted function, std::uint64_t elapsed, std::uint64_t bytes) noexcept {
        auto& sum = sums_[static_cast<std::size_t>(function)];
        add_to(sum.calls, 1);
        add_to(sum.elapsed, elapsed);
        if (bytes > 0) add_to(sum.bytes, bytes);
    }
    std::span<const CountedSum, counted_functions> sums() const {
        return std::span<const CountedSum, counted_functions>(sums_, counted_functions);
    }

    // Where each call also leaves a record (detail `all`); else null.
    Recorder* recorder() const { return recorder_; }
    void record_in(Recorder& recorder) { recorder_ = &recorder; }

    // The sums of the run. Null where nothing is measured: without a log, before the run's
    // start and after its end.
    static CountedSums* current() { return current_.load(std::memory_order_acquire); }
    static void set_current(CountedSums* sums) { current_.store(sums, std::memory_order_release); }

  private:
    void add_to(std::uint64_t& sum, std::uint64_t value) const noexcept {
        const std::atomic_ref shared(sum);
        if (threads_)
            shared.fetch_add(value, std::memory_order_relaxed);
        else
            shared.store(shared.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
    }

    static inline constinit std::atomic<CountedSums*> current_{nullptr};
    bool threads_;
    Recorder* recorder_ = nullptr;
    CountedSum* sums_ = nullptr;
    std::vector<CountedSum> memory_; // where there is no file
};

} // namespace switchyard::shim::log
