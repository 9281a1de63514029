// Whether the winner of some trials is faster than native after all. The best of many candidates was also
// lucky, so it is compared once more: stretches of its calls and of native's calls take turns. The side that
// begins changes from pair to pair.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace switchyard::shim::adaptive {

class Proof {
  public:
    // The winner wins a pair if its stretch has the smaller median. It stays if it wins `wins_needed` pairs
    // before it loses more than `losses_allowed`. One in sixteen candidates that equal native gets that far.
    // The last condition: its time is at most worth_it of native's. If native takes more than clear_factor
    // times as long, pairs_if_clear pairs are enough.
    static constexpr std::size_t stretch = 3, wins_needed = 6, losses_allowed = 1, pairs_if_clear = 2;
    static constexpr double clear_factor = 2;
    static constexpr double worth_it = 0.97;
    static constexpr std::size_t most_calls = 2 * stretch * (wins_needed + losses_allowed);
    enum class Verdict : std::uint8_t { open, won, lost };

    bool native_is_next() const {
        const bool native_begins = pairs() % 2 == 0;
        const Side& first = native_begins ? native_ : winner_;
        return first.is_full() ? !native_begins : native_begins;
    }
    // A call begins. Calls that fail give no time, so there can be more calls than times.
    void begin() { ++calls_; }
    void add(bool is_native, std::uint64_t time) {
        (is_native ? native_ : winner_).add(time);
        if (native_.is_full() && winner_.is_full()) end_pair();
    }

    Verdict verdict() const {
        if (losses_ > losses_allowed || calls_ > 2 * most_calls) return Verdict::lost;
        if (wins_ >= pairs_if_clear && losses_ == 0 && ratio() < 1 / clear_factor) return Verdict::won;
        if (wins_ < wins_needed) return Verdict::open;
        return ratio() <= worth_it ? Verdict::won : Verdict::lost;
    }
    std::size_t pairs() const { return wins_ + losses_; }
    std::size_t wins() const { return wins_; }
    // The winner's time / native's, over all pairs.
    double ratio() const { return native_.sum == 0 ? 1 : winner_.sum / native_.sum; }

  private:
    struct Side {
        std::array<std::uint64_t, stretch> times{};
        std::size_t count = 0;
        double sum = 0; // of medians

        bool is_full() const { return count == stretch; }
        void add(std::uint64_t time) {
            if (!is_full()) times[count++] = time;
        }
        std::uint64_t end() {
            std::ranges::sort(times);
            count = 0;
            sum += static_cast<double>(times[stretch / 2]);
            return times[stretch / 2];
        }
    };

    void end_pair() {
        const auto of_winner = winner_.end(), of_native = native_.end();
        ++(of_winner < of_native ? wins_ : losses_);
    }

    Side native_, winner_;
    std::size_t wins_ = 0, losses_ = 0, calls_ = 0;
};

} // namespace switchyard::shim::adaptive
