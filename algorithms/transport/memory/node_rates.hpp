// Which way is faster for a large block: its reader reads it from its writer's memory, which is one copy by
// the kernel, or both copy it through the memory of the node. The answer depends on the processor, the
// caches, the kernel and the sizes. So each rank times its own copies of large blocks. The first rank of the
// node decides from its times, and the other ranks follow it: where some blocks of an exchange take one way
// and some the other, a rank pays for both.
//
//   word of the section of rank 0, as writer for itself   written by   when                    order
//   Filled.ways: a bit for each size and form             rank 0       before its blocks go    relaxed
//
// The word is a hint, so nothing orders it: a rank that reads it late sends its blocks the other way once.
// The notice tells the readers how each block comes (node_exchange.hpp, node_gather.hpp). No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

class NodeRates {
  public:
    using Clock = std::chrono::steady_clock;
    // Copies of this rank: of its own bytes into the memory of the node, of other ranks' bytes out of it, and
    // of bytes from another rank's own memory.
    enum class Copy : std::uint8_t { in, out, across };
    // One reader reads a block, or all other ranks.
    enum class Form : std::uint8_t { block, block_for_all };

    // A smaller block is not timed: it never goes across.
    static constexpr std::size_t least_block_bytes = std::size_t{32} << 10;

    // A copy of `bytes` bytes of a block of `block` bytes took that long.
    void note(Copy copy, std::size_t block, std::size_t bytes, Clock::duration took) {
        const auto ns = static_cast<double>(std::chrono::nanoseconds(took).count());
        by_size_[index(block)][copy].note(ns / static_cast<double>(std::max<std::size_t>(bytes, 1)));
    }
    // Whether the next copies of such a block are worth their clock readings. `epoch`: of the exchange.
    bool listens(std::size_t block, std::uint64_t epoch) const {
        return !by_size_[index(block)].are_known() || epoch % 8 == 0 || is_trial(epoch);
    }

    // The first rank decides: whether a block of `block` bytes for `readers` ranks goes across in this epoch.
    // A way that is not known yet comes first. Now and then comes the other way.
    void decide(std::atomic<std::uint32_t>& ways, Form form, std::size_t block, int readers,
                std::uint64_t epoch) {
        const std::uint32_t bit = bit_of(form, block);
        faster_ = is_across_faster(by_size_[index(block)], readers, (faster_ & bit) != 0) ? faster_ | bit
                                                                                          : faster_ & ~bit;
        const bool is_known = by_size_[index(block)].are_known();
        const bool goes_across = ((faster_ & bit) != 0) != (is_known && is_trial(epoch));
        const std::uint32_t before = ways.load(std::memory_order_relaxed),
                            now = goes_across ? before | bit : before & ~bit;
        if (now != before) ways.store(now, std::memory_order_relaxed);
    }
    static bool goes_across(const std::atomic<std::uint32_t>& ways, Form form, std::size_t block) {
        return (ways.load(std::memory_order_relaxed) & bit_of(form, block)) != 0;
    }

  private:
    // The middle of the noted values, about. A rank that loses its core meanwhile notes its neighbours'
    // time: such a value moves the middle no further than any other value.
    struct Rate {
        double ns_of_byte = 0;
        int noted = 0;

        static constexpr int enough = 16, first = 4;
        bool is_known() const { return noted >= enough; }
        void note(double ns) {
            constexpr double step = 1.0 / 16;
            if (noted < first)
                ns_of_byte = noted == 0 ? ns : std::min(ns_of_byte, ns);
            else
                ns_of_byte *= ns > ns_of_byte ? 1 + step : 1 - step;
            noted = std::min(noted + 1, enough);
        }
    };
    struct Rates {
        std::array<Rate, 3> by_copy;

        Rate& operator[](Copy copy) { return by_copy[static_cast<std::size_t>(copy)]; }
        const Rate& operator[](Copy copy) const { return by_copy[static_cast<std::size_t>(copy)]; }
        bool are_known() const { return std::ranges::all_of(by_copy, &Rate::is_known); }
    };

    // A block that goes across costs more than its copy: its writer waits for its readers. The way in use
    // stays until the other way is clearly faster.
    static bool is_across_faster(const Rates& rates, int readers, bool goes_across) {
        if (!rates[Copy::in].is_known() || !rates[Copy::out].is_known()) return false;
        if (!rates[Copy::across].is_known()) return true;
        const double across = rates[Copy::across].ns_of_byte * readers,
                     through = rates[Copy::in].ns_of_byte + rates[Copy::out].ns_of_byte * readers;
        return across * (goes_across ? 1.1 : 1.25) < through;
    }
    // Some epochs in a row, so that the ring is in the caches again. A prime number of such rows lies
    // between two trials: a program that repeats a few calls tries each of them.
    static bool is_trial(std::uint64_t epoch) {
        constexpr std::uint64_t in_a_row = 8, rows = 61;
        return epoch / in_a_row % rows == rows - 1;
    }
    static std::size_t index(std::size_t block) {
        constexpr int first = static_cast<int>(std::bit_width(least_block_bytes));
        return static_cast<std::size_t>(
            std::clamp(static_cast<int>(std::bit_width(block)) - first, 0, sizes - 1));
    }
    static std::uint32_t bit_of(Form form, std::size_t block) {
        return std::uint32_t{1} << (index(block) + (form == Form::block ? 0 : sizes));
    }

    static constexpr int sizes = 16; // each twice the one before
    std::array<Rates, sizes> by_size_;
    std::uint32_t faster_ = 0; // bits: across is faster
};

} // namespace switchyard::algorithms
