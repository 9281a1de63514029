// The sums of a log, for reports, comparisons, explanations and the tuner.
#pragma once

#include "call.hpp"
#include "first_calls.hpp"
#include "run_facts.hpp"
#include "samples.hpp"

#include "algorithms/phases.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace switchyard::shim::report {

// Times of calls, added up over the ranks that took part; in microseconds.
struct RankTimes {
    double whole = 0, agree = 0, stage = 0, copy = 0, exchange = 0;
    // Beyond the fastest rank of each call. The last rank to come waits least, so this is time spent waiting
    // for late ranks, wherever in the call; ranks with more bytes than others count, too.
    double waiting = 0;
    RankTimes& operator+=(const RankTimes& other);
};

// All calls of one kind.
struct CallGroup {
    CallKind kind;
    std::uint64_t calls = 0;
    RankTimes rank_us;
    double mean_us = 0;               // sum over the calls of the mean over the ranks
    double slowest_us = 0;            // sum over the calls of the slowest rank's time
    double bytes = 0;                 // that the program asked its ranks to send to other ranks
    double most_sent = 0;             // by a rank in a call; in a summary the mean over the calls of a line
    std::uint64_t near_int_limit = 0; // calls with numbers near 2^31; in a summary all calls of a line
    std::uint64_t smallest_block = 0, largest_block = 0;
    std::uint64_t wire_bytes = 0, messages = 0; // of the rank with the most, summed over the calls
    std::uint64_t rounds = 0;                   // likewise
    Moved moved{};
    std::array<double, algorithms::phase_count> phase_us{}; // of the algorithm, summed over ranks and calls
    double skew = 0;                // skew_of() a call, summed over the calls that sent bytes
    std::uint64_t skewed_calls = 0; // these
    Samples call_us;                // of each call, mean over the ranks
    Samples least_us;               // of each call, the fastest rank: the last one to come waits least
    FirstCalls first_calls;         // of one run: none if several runs are added up

    // The slowest rank's time over the mean: 1 where all ranks take the same time.
    double imbalance() const { return mean_us > 0 ? slowest_us / mean_us : 1; }
};

// One call, or one line of a summary.
struct Mark {
    double begin_us;
    float call_us; // mean over the ranks
    std::uint32_t group;
};

struct Profile {
    RunFacts run;
    std::vector<CallGroup> groups; // the most time first
    std::vector<Mark> marks;       // in the order of time
    std::uint64_t calls = 0, routed = 0;
    std::uint64_t unreadable = 0; // lines
    bool torn = false;            // the last line was unreadable
    // Calls that the run counted, but that no line stands for.
    std::uint64_t missing_calls() const;
    bool truncated() const { return torn || missing_calls() > 0; }
    RankTimes rank_us;
    double end_us = 0; // end of the last known call

    // Ranks of the run; if run.json does not say, ranks of the largest communicator.
    int ranks = 0;
    int nodes() const;
    // Wall time of the run; if it is not known, the time until the end of the last call.
    double wall_us() const { return run.wall_us > 0 ? run.wall_us : end_us; }
    // The average rank's part of a sum over all ranks.
    double per_rank(double rank_us_of_all) const { return ranks > 0 ? rank_us_of_all / ranks : 0; }
    // In all collectives: those that a policy can change, and those that are only counted.
    double all_rank_us() const { return rank_us.whole + rank_us_of(run.counted); }
    // Names of the collectives in the groups, the most time first.
    std::vector<std::string> collectives() const;
    double time_us(const CallGroup& group) const { return per_rank(group.rank_us.whole); }
};

// Adds up call after call. It keeps 24 bytes for each call.
class ProfileBuilder {
  public:
    void add(const Call& call);
    // All calls of another run. They leave no marks: the runs have no common time.
    void add(const Profile& run);
    void add_unreadable() {
        ++profile_.unreadable;
        profile_.torn = true;
    }
    Profile take(RunFacts run);

  private:
    std::uint32_t place_of(const CallKind& kind); // in the groups; new kinds get one

    Profile profile_;
    std::unordered_map<CallKind, std::uint32_t, CallKindHash> index_;
};

// Throws std::runtime_error if the log cannot be read. Single lines that cannot be read are counted.
Profile read_profile(const log::LoggedRun& run);

} // namespace switchyard::shim::report
