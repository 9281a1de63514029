// A log added up: what a report, a comparison, an explanation or a tuner wants to know of a run.
#pragma once

#include "call.hpp"
#include "run_facts.hpp"
#include "samples.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace switchyard::shim::report {

// Times of calls, weighted by the ranks that took part: microseconds of all ranks together.
struct RankTimes {
    double whole = 0, agree = 0, stage = 0, copy = 0, exchange = 0;
    RankTimes& operator+=(const RankTimes& other);
};

// All calls of one kind.
struct CallGroup {
    CallKind kind;
    std::uint64_t calls = 0;
    RankTimes rank_us;
    double mean_us = 0;    // sum over the calls of the mean over the ranks
    double slowest_us = 0; // and of the slowest rank
    double bytes = 0;      // that its ranks sent to others, as the program asked for
    std::uint64_t smallest_block = 0, largest_block = 0;
    std::uint64_t wire_bytes = 0, messages = 0; // the most of any rank, summed over the calls
    Samples call_us;                            // per call, mean over the ranks

    // The slowest rank's time over the mean: 1 where all ranks take the same time.
    double imbalance() const { return mean_us > 0 ? slowest_us / mean_us : 1; }
};

// One call, or one line of a summary, in the order of time.
struct Mark {
    double begin_us;
    float call_us; // mean over the ranks
    std::uint32_t group;
};

struct Profile {
    RunFacts run;
    std::vector<CallGroup> groups; // the most time first
    std::vector<Mark> marks;
    std::uint64_t calls = 0, routed = 0;
    std::uint64_t unreadable = 0; // lines
    bool torn = false;            // the last of them was
    RankTimes rank_us;
    double end_us = 0; // when the last call that is known of ended

    // Ranks of the run; where run.json does not say, those of the largest communicator.
    int ranks = 0;
    int nodes() const;
    // Of the run, or where that is not known, until the last call's end.
    double wall_us() const { return run.wall_us > 0 ? run.wall_us : end_us; }
    // What a time of all ranks together is for the average rank of the run.
    double per_rank(double rank_us_of_all) const { return ranks > 0 ? rank_us_of_all / ranks : 0; }
    double time_us(const CallGroup& group) const { return per_rank(group.rank_us.whole); }
};

// Adds calls up one after the other; what it keeps of a call is 20 bytes.
class ProfileBuilder {
  public:
    void add(const Call& call);
    void add_unreadable() {
        ++profile_.unreadable;
        profile_.torn = true;
    }
    Profile take(RunFacts run);

  private:
    Profile profile_;
    std::unordered_map<CallKind, std::uint32_t, CallKindHash> index_;
};

// Throws std::runtime_error where the log cannot be read at all; single lines that cannot are counted.
Profile read_profile(const log::LoggedRun& run);

} // namespace switchyard::shim::report
