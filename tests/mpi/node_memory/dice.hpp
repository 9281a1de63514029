// Random numbers. Dice that the ranks share show the same on all of them.
#pragma once

#include "../algorithms/cases.hpp"

#include <cstddef>
#include <cstdint>
#include <sched.h>
#include <time.h>
#include <utility>

namespace switchyard::tests {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : seed_(seed) {}

    std::uint64_t roll(std::uint64_t sides) { return mixed(seed_, ++rolls_) % sides; }
    bool once_in(std::uint64_t times) { return roll(times) == 0; }
    template <typename Value, std::size_t count>
    const Value& one_of(const Value (&values)[count]) {
        return values[roll(count)];
    }

  private:
    std::uint64_t seed_, rolls_ = 0;
};

// Of a rank alone: now and then it is late.
class Delays {
  public:
    explicit Delays(std::uint64_t seed) : dice_(seed) {}

    void maybe() {
        const auto roll = dice_.roll(200);
        if (roll < 10) sched_yield();
        if (roll == 10) sleep(dice_.roll(100'000));
        if (std::exchange(is_late_, false)) sleep(500'000);
    }
    void be_late() { is_late_ = true; } // when it comes to its next delay

  private:
    static void sleep(std::uint64_t nanoseconds) {
        const timespec time{0, static_cast<long>(nanoseconds)};
        nanosleep(&time, nullptr);
    }

    Dice dice_;
    bool is_late_ = false;
};

} // namespace switchyard::tests
