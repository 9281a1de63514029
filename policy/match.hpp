// The candidate that a call takes. This is the hot path: a walk over a shortlist that allocates nothing.
#pragma once

#include "shortlist.hpp"

namespace switchyard::policy {

// Why a candidate that matched did not run.
enum class PassedOver : std::uint8_t {
    no,
    blocked,
    over_memory_limit,
    goes_directly, // the collective has equal blocks, and their size is direct_from or more
    scratch_does_not_fit,
    not_gpu_aware,
    not_mapped,
    no_staging_memory,
    rank_lost
};

struct Match {
    std::size_t candidate = 0; // the one to run
    // The first candidate that matched and could not run, and why; `no` if the first match runs.
    std::size_t passed = 0;
    PassedOver why = PassedOver::no;
    bool operator==(const Match&) const = default;
};

// Whether the candidate is for a call like this, and if so, why it is passed over.
bool matches(const Candidate& candidate, const Features& call);
PassedOver why_passed_over(const Candidate& candidate, const Features& call);

// The first candidate that matches and can run. If the ranks agreed that the workspace of candidate N does
// not fit, the second walk is `from` N + 1: matching candidates before it count as scratch_does_not_fit.
Match choose(const Shortlist& shortlist, const Features& call, std::size_t from = 0);

} // namespace switchyard::policy
