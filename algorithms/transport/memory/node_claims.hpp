// Who moves which pieces of a block: its writer takes them from the front, its reader from the back. Writer
// and reader may be different processes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace switchyard::algorithms {

class Claims {
  public:
    void clear() { taken_.store(0, std::memory_order_relaxed); }

    // The next piece from the front. False: all of them are taken.
    bool take_front(std::uint64_t pieces) { return take(pieces, 1, one_of_front) > 0; }
    // Takes pieces from the back, at most `most`. Returns how many were still there.
    std::uint64_t take_back(std::uint64_t pieces, std::uint64_t most) {
        return take(pieces, most, one_of_back);
    }
    // Gives back the last pieces that were taken from the back.
    void give_back(std::uint64_t pieces) {
        taken_.fetch_sub(pieces * one_of_back, std::memory_order_relaxed);
    }

    // Whether all pieces are taken, `from_back` of them from the back.
    bool are_all_taken(std::uint64_t pieces, std::uint64_t from_back) const {
        const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
        return back_of(taken) == from_back && front_of(taken) + from_back == pieces;
    }

    // More pieces cannot be counted.
    static constexpr std::uint64_t most_pieces = UINT32_MAX;

  private:
    static constexpr std::uint64_t one_of_front = 1, one_of_back = std::uint64_t{1} << 32;
    static constexpr std::uint64_t front_of(std::uint64_t taken) { return taken % one_of_back; }
    static constexpr std::uint64_t back_of(std::uint64_t taken) { return taken / one_of_back; }

    std::uint64_t take(std::uint64_t pieces, std::uint64_t most, std::uint64_t one) {
        std::uint64_t taken = taken_.load(std::memory_order_relaxed), some = 0;
        do {
            some = std::min(most, pieces - front_of(taken) - back_of(taken));
        } while (some > 0 &&
                 !taken_.compare_exchange_weak(taken, taken + some * one, std::memory_order_relaxed));
        return some;
    }

    std::atomic<std::uint64_t> taken_;
};

} // namespace switchyard::algorithms
