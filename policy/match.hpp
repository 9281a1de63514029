// Which rule a call takes. A communicator prunes the policy once, per collective and in-place or not; a call
// then walks the few rules that are left.
#pragma once

#include "parse.hpp"
#include "table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace switchyard::policy {

// What to run, resolved for one communicator.
struct Choice {
    const algorithms::Traits* algorithm = nullptr; // never null in a shortlist
    algorithms::Parameters parameters;
    std::optional<Transfer> transfer; // as given
    std::uint64_t chunk_bytes = 0;
    std::uint64_t memory_limit_bytes = std::numeric_limits<std::uint64_t>::max();
    std::string rule;   // name of the rule; "" for otherwise, forced and native fallbacks
    std::string reason; // `rule`, `otherwise`, `forced`, or what forced a fallback
};

// A rule that can still apply on this communicator, or one that would apply and is not admissible here
// (`blocked` says why, e.g. `radix 64 is more than 16 ranks`).
struct Candidate {
    Choice choice;
    Range max_block_bytes;
    std::optional<Buffer> buffer;
    std::string blocked;
    bool devices = true;                 // calls with device buffers can come to it
    std::optional<std::size_t> adaptive; // which of the shortlist's adaptive uses it takes part in
    bool stands_in = false; // in place, for the candidate before it, which took too much memory or cannot
};

// An adaptive use: candidates of the shortlist, side by side, native first. Walking the shortlist ends at native where one
// of them may run; which of them does is up to whoever knows how long they take. All are admissible here.
struct Adaptive {
    std::size_t first = 0, count = 0;
    int trials = 0;
    std::string left_out; // what cannot run here and why, for people; "" for none
};

// The last candidate is native and takes every call, so choosing cannot fail, not even where the memory for
// anything of ours is not to be had.
struct Shortlist {
    std::vector<Candidate> candidates;
    std::vector<Adaptive> adaptives;
    bool looks_at_block = false; // some candidate that can be reached needs max_block_bytes
    // Some candidate that can be reached is for one kind of buffer only, or may be passed over for device
    // buffers.
    bool looks_at_buffer = false;
    // Whether buffers overlap has to be agreed: calls whose buffers do take another shortlist, that of
    // Features::overlapping.
    bool looks_at_overlap = false;
    bool always_native = false; // whatever the call is, native runs, and nothing has to be agreed for it
};

Shortlist prune(const Policy& policy, const FixedFeatures& fixed);
// Same, where SWITCHYARD_FORCE names an algorithm for that collective: forced where admissible, else native.
Shortlist prune(const Use& forced, const FixedFeatures& fixed);

// The shortlist before what cannot make a difference is dropped: where every candidate is native, prune() leaves
// one of them, and the rules' names with the others. For explanations.
Shortlist all_candidates(const Policy& policy, const FixedFeatures& fixed);

// Why a candidate that matched was passed over at this call.
enum class PassedOver : std::uint8_t {
    no,
    blocked,
    over_memory_limit,
    scratch_does_not_fit,
    not_gpu_aware,
    no_staging_memory
};

// Why one of an adaptive use's candidates runs: it is tried, it was the best, it is tried again.
enum class Phase : std::uint8_t { none, trial, best, re_check };

struct Match {
    std::size_t candidate = 0; // the one to run
    // The first candidate that matched and could not run, and why; `no` when the first match runs.
    std::size_t passed = 0;
    PassedOver why = PassedOver::no;
    Phase phase = Phase::none; // said by whoever chose among the candidates of an adaptive use
    bool operator==(const Match&) const = default;
};

// Whether the candidate is for a call like this, and if so, why it is passed over at it.
bool matches(const Candidate& candidate, const Features& call);
PassedOver why_passed_over(const Candidate& candidate, const Features& call);

// Whether calls of an adaptive use can do without the agreement on the block once they have long been alike:
// nothing else is agreed, and no call gets past the use. And with that member of it, which must not need the
// block itself.
bool can_rest(const Shortlist& shortlist, std::size_t adaptive);
bool can_rest(const Shortlist& shortlist, std::size_t adaptive, std::size_t member);

// First match for a call. `from`: candidates before it are skipped as scratch_does_not_fit, for a second walk
// after all ranks agreed that the scratch of candidate from-1 does not fit. Does not allocate.
Match choose(const Shortlist& shortlist, const Features& call, std::size_t from = 0);

// How device buffers travel with that choice: an algorithm of ours has them staged unless it is told otherwise,
// the MPI library's own gets what it can take.
Transfer transfer_of(const Choice& choice, bool gpu_aware);

// Workspace bytes of a candidate at this call; 0 for native.
std::size_t scratch_bytes(const Choice& choice, const Features& call);

// The `reason` of the log for a match: the choice's own reason, or e.g.
// `rule "small" passed over: radix 64 is more than 16 ranks`.
std::string reason_of(const Shortlist& shortlist, const Match& match);

// What that reason says of one candidate: `radix 64 is more than 16 ranks`.
std::string describe(const Candidate& candidate, PassedOver why);

// `tuna radix=4 metadata=fused`
std::string describe(const Choice& choice);

} // namespace switchyard::policy
