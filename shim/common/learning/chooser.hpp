// Which candidate of an adaptive use runs next, from nothing but the times of those that ran: no MPI, no clock,
// no memory after it was made. Fed with the same times it answers the same on all ranks.
//
// Candidates are tried in turn, `trials` times each; then the one of the smallest median stays. When its time
// leaves what it was by more than drift_factor, all are tried again, which may happen after
// first_distance() calls, then after twice as many, and so on.
//
// The regret of a candidate's calls is how much longer they took than as many calls of the best one. It is
// bounded. With m the best median, one round of trials costs
//   - for a candidate that is not dropped (its median stays within drop_factor * m): about
//     (drop_factor - 1) * trials * m;
//   - for one that is: its first call and one or two more, which nobody can know beforehand; one alone where it
//     took more than hopeless_factor * m and the difference is worth a thought.
// N calls have at most 1 + log2(1 + N / first_distance()) such rounds. regret() says what it really was.
#pragma once

#include "policy/match.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace switchyard::shim::adaptive {

// The time of the slowest rank in a call. A MAX over ranks makes `no_time` of it where it is that on one of them:
// the call failed there, and its time says nothing.
using Nanoseconds = std::uint64_t;
inline constexpr Nanoseconds no_time = ~Nanoseconds{0};

// The lower one of the two in the middle, since what disturbs a call makes it longer. Reorders; not of nothing.
Nanoseconds median(std::span<Nanoseconds> times);

class Chooser {
  public:
    static constexpr Nanoseconds drop_factor = 2, hopeless_factor = 8;
    static constexpr Nanoseconds worth_a_thought = 1'000'000; // below, a second call costs nobody much
    static constexpr double drift_factor = 1.5;
    static constexpr std::size_t window = 16; // calls whose median is what the best one takes now

    // Candidate 0 can always run. Allocates, which may throw; nothing else here does.
    Chooser(std::size_t candidates, std::size_t trials);

    // The next call's candidate, out of those for which `can_run` says so at this call.
    template <typename CanRun>
    std::size_t pick(const CanRun& can_run) noexcept {
        for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].runs_here = i == 0 || can_run(i);
        return pick_of_those();
    }
    // What that call took, or no_time. To be said before the next pick() while is_trying(), else when it is known.
    void add(std::size_t candidate, Nanoseconds time) noexcept;
    // The same for calls of the best one whose median is known, instead of add() for each.
    void add_median(Nanoseconds time) noexcept;
    // From here on the times of the best one are not to be compared with those until now.
    void forget_usual() noexcept { usual_ = 0, timed_ = 0; }
    // It can run no more, here and ever.
    void drop(std::size_t candidate) noexcept;

    bool is_trying() const { return trying_; }
    policy::Phase phase() const;
    std::size_t best() const { return best_; } // since the last trials
    bool has_chosen() const { return rounds_ > (trying_ ? 1U : 0U); }

    struct Standing {
        Nanoseconds median; // no_time: it never ran to its end
        std::size_t trials;
        bool dropped;
    };
    // In the last trials that came to an end; in those that go on where none did.
    Standing standing(std::size_t candidate) const {
        return trying_ && rounds_ > 1 ? candidates_[candidate].before : candidates_[candidate].last;
    }

    std::uint64_t calls() const { return calls_; }
    std::uint64_t trial_calls() const { return trial_calls_; }
    std::uint64_t re_checks() const { return rounds_ - 1; }
    double regret() const; // nanoseconds, of the calls in trials
    std::uint64_t first_distance() const;

  private:
    struct Candidate {
        std::vector<Nanoseconds> times; // of these trials
        std::size_t tries = 0;          // calls begun
        bool dropped = false;           // in these trials
        bool gone = false;              // for ever
        bool runs_here = false;
        Standing last{no_time, 0, false}, before = last; // of these trials, and of those before them

        bool is_in() const { return !dropped && !gone; }
    };

    std::size_t pick_of_those() noexcept;
    std::size_t next_to_try() const;
    std::size_t fastest_here() const;
    void add_trial(std::size_t candidate, Nanoseconds time);
    Nanoseconds median_of(const Candidate& candidate);
    Nanoseconds best_median() const;
    void settle();
    void choose_best();
    void watch(Nanoseconds median);
    void begin_trials();

    std::size_t trials_;
    std::vector<Candidate> candidates_;
    std::vector<Nanoseconds> sorted_; // for medians
    bool trying_ = true;
    std::size_t best_ = 0;
    std::uint64_t calls_ = 0, trial_calls_ = 0, settled_calls_ = 0, rounds_ = 1;
    std::uint64_t distance_;                              // calls until the next re-check may be
    std::array<Nanoseconds, window> times_{}, scratch_{}; // of the best one
    std::size_t timed_ = 0;                               // of those, in all
    Nanoseconds usual_ = 0;                               // its median since it was chosen; 0: not known yet
    double time_in_trials_ = 0, timed_trials_ = 0, regret_ = 0; // regret_: of trials that are over
};

} // namespace switchyard::shim::adaptive
