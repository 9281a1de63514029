// Which candidate of an adaptive use runs next. Nothing but the times of earlier calls decides: no
// MPI, no clock, no memory after construction. Choosers that get the same times answer the same,
// so all ranks decide alike.
//
// A pass tries the candidates in turn, `trials` times each. Then the candidate with the smallest median
// stays. Unless it is native, or native was dropped, it is proven against native first (Proof), and native
// stays if the proof fails. When the time of the candidate that stayed changes by more than drift_factor, the
// next pass begins: at the earliest after first_distance() calls, then after twice as many, and so on.
//
// The regret of a candidate's calls is their time, less the time of as many calls of the best candidate. It
// is bounded. Let m be the best median. One pass costs
//   - for a candidate that stays (its median is within drop_factor * m): about (drop_factor - 1) * trials *
//     m;
//   - for a candidate that is dropped: its first call and one or two more. It costs only the first call if
//     that call took more than hopeless_factor * m and more than worth_a_thought longer than m;
//   - for the proof: (drop_factor - 1) * m for each call of native, or less than hopeless_factor * m for six
//     of them.
// N calls have at most 1 + log2(1 + N / first_distance()) passes. regret() is the regret that was measured.
#pragma once

#include "policy/match.hpp"
#include "proof.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::shim::adaptive {

// The time of the slowest rank in a call, a MAX over the ranks. A rank on which the call failed gives
// no_time, and then the MAX is also no_time.
using Nanoseconds = std::uint64_t;
inline constexpr Nanoseconds no_time =
    ~Nanoseconds{0} >> 1; // MPICH 4.0.2 compares larger numbers as if they had a sign

// For an even number of times, the lower of the two in the middle: disturbances make calls longer. `times`
// must not be empty; its order changes.
Nanoseconds median(std::span<Nanoseconds> times);

class Chooser {
  public:
    static constexpr Nanoseconds drop_factor = 2, hopeless_factor = 8;
    static constexpr Nanoseconds worth_a_thought =
        1'000'000; // where less is lost, a second call costs little
    static constexpr double drift_factor = 1.5;
    static constexpr std::size_t window = 16; // calls of the best candidate whose median is its present time

    // Candidate 0 can always run. The constructor allocates and may throw; nothing else does.
    Chooser(std::size_t candidates, std::size_t trials);

    // The candidate of the next call. `can_run` says which candidates are possible at this call.
    template <typename CanRun>
    std::size_t pick(const CanRun& can_run) noexcept {
        for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].runs_here = i == 0 || can_run(i);
        return pick_possible();
    }
    // The time of that call, or no_time. While is_trying() it must come before the next
    // pick(), otherwise at any time.
    void add(std::size_t candidate, Nanoseconds time) noexcept;
    // The median of several calls of the best candidate, instead of add() for each call.
    void add_median(Nanoseconds time) noexcept;
    // Later times of the best candidate are not comparable with the earlier ones.
    void forget_usual() noexcept { usual_ = 0, timed_ = 0; }
    // The candidate can never run again.
    void drop(std::size_t candidate) noexcept;

    bool is_trying() const { return trying_; }
    policy::Phase phase() const;
    std::size_t best() const { return best_; } // of the last pass that ended
    bool has_chosen() const { return passes_ > (trying_ ? 1U : 0U); }

    struct Standing {
        Nanoseconds median; // no_time: none of its calls succeeded
        std::size_t trials;
        bool dropped;
    };
    // In the last pass that ended; in the present pass if none has ended.
    Standing standing(std::size_t candidate) const {
        return trying_ && passes_ > 1 ? candidates_[candidate].before : candidates_[candidate].last;
    }

    // A winner of trials against native.
    struct Contest {
        std::size_t contender = 0;
        Proof proof{};
    };
    // The contest of the last pass that ended; nothing: its winner needed no proof.
    const std::optional<Contest>& contest() const { return last_contest_; }

    std::uint64_t calls() const { return calls_; }
    std::uint64_t trial_calls() const { return trial_calls_; }
    std::uint64_t re_checks() const { return passes_ - 1; }
    double regret() const; // nanoseconds, of the calls in passes
    std::uint64_t first_distance() const;

  private:
    struct Candidate {
        std::vector<Nanoseconds> times; // of this pass
        std::size_t tries = 0;          // calls begun
        bool dropped = false;           // in this pass
        bool gone = false;              // for ever
        bool runs_here = false;
        Standing last{no_time, 0, false}, before = last; // of this pass, and of the one before

        bool is_in() const { return !dropped && !gone; }
    };

    std::size_t pick_possible() noexcept;
    std::size_t next_to_try() const;
    std::size_t fastest_here() const;
    void add_trial(std::size_t candidate, Nanoseconds time);
    std::optional<std::size_t> next_in_contest() noexcept;
    void add_proof(std::size_t candidate, Nanoseconds time);
    bool needs_proof(std::size_t winner) const;
    Nanoseconds median_of(const Candidate& candidate);
    Nanoseconds best_median() const;
    void end_trials();
    void end_proof();
    void settle(std::size_t best);
    std::size_t fastest() const;
    void watch(Nanoseconds median);
    void begin_pass();

    std::size_t trials_;
    std::vector<Candidate> candidates_;
    std::vector<Nanoseconds> sorted_; // for medians
    bool trying_ = true;
    std::optional<Contest> contest_; // the contest in progress, a part of trying
    bool is_judged_ = false;         // the last call was picked for the contest
    std::optional<Contest> last_contest_;
    std::size_t best_ = 0;
    std::uint64_t calls_ = 0, trial_calls_ = 0, settled_calls_ = 0, passes_ = 1;
    std::uint64_t distance_;                              // calls until the next pass may begin
    std::array<Nanoseconds, window> times_{}, scratch_{}; // of the best candidate
    std::size_t timed_ = 0;                               // how many were added in all
    Nanoseconds usual_ = 0;                               // its median after it was chosen; 0: not known yet
    double time_in_trials_ = 0, timed_trials_ = 0, regret_ = 0; // regret_: of passes that ended
};

} // namespace switchyard::shim::adaptive
