// The rules that are left on a communicator, in order. prune.hpp makes a shortlist,
// match.hpp walks it at each call.
#pragma once

#include "table.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::policy {

inline constexpr std::uint64_t no_memory_limit = std::numeric_limits<std::uint64_t>::max();

// An algorithm with everything that a communicator decides about it.
struct Choice {
    const algorithms::Traits* algorithm = nullptr; // never null in a shortlist
    algorithms::Parameters parameters;
    std::optional<Transfer> transfer; // as given
    std::uint64_t chunk_bytes = 0;
    std::uint64_t memory_limit_bytes = no_memory_limit;
    bool barrier_before = false;
    std::uint64_t in_flight_limit = 0;              // 0: as the run's setting says
    std::optional<std::size_t> fixed_scratch_bytes; // if the workspace does not depend on the blocks
    std::string rule;   // its name; "" for otherwise, forced, and native as the last resort
    std::string reason; // `rule`, `otherwise`, `forced`, or what forced a fallback
};

// A rule that can apply on this communicator, or a rule that would apply but is not admissible here
// (`blocked` says why: `radix 64 is more than 16 ranks`).
struct Candidate {
    Choice choice;
    Range max_block_bytes, total_bytes, skew;
    // Equal blocks of so many bytes and more are left to later candidates (admissible.hpp).
    std::uint64_t left_from = std::numeric_limits<std::uint64_t>::max();
    std::optional<Buffer> buffer;
    std::string blocked;
    bool devices = true; // calls with device buffers can reach it
    // In place, for the candidate before it, which takes too much memory or cannot run.
    bool stands_in = false;
};

// The last candidate is native and takes every call, so choosing cannot fail, not even without memory.
struct Shortlist {
    std::vector<Candidate> candidates;
    bool looks_at_block = false;   // some candidate needs max_block_bytes, or more of the blocks' sizes
    bool looks_at_totals = false;  // some candidate needs total_bytes or skew
    bool looks_at_buffer = false;  // some candidate is for one kind of buffer, or may refuse device buffers
    bool looks_at_mapping = false; // some candidate copies between the memory of GPUs
    bool looks_at_overlap =
        false; // calls with overlapping buffers take another shortlist, so ranks have to agree
    bool first_takes_all = false; // unless there is no memory for it
    bool always_native = false; // native runs every call, nothing has to be agreed for it, and no rank waits
};

// How device buffers travel. Unless the policy says otherwise, our algorithms get copies in host memory, and
// native gets the buffers if the MPI can take them.
Transfer transfer_of(const Choice& choice, bool gpu_aware);

// Workspace bytes at this call; 0 for native.
std::size_t scratch_bytes(const Choice& choice, const Features& call);

// memory_limit_bytes counts the host memory for copies of device buffers. It does not count them if native
// has copies only because the MPI takes no device buffers.
bool limits_staging(const Choice& choice);

// The candidate is for some sizes of blocks only.
bool looks_at_block(const Candidate& candidate);
// The candidate is for some sums or mixtures of sizes only.
bool looks_at_totals(const Candidate& candidate);
// The algorithm needs the largest block, or the limit on its workspace does.
bool run_depends_on_block(const Candidate& candidate);
// The candidate is for one kind of buffer, or may refuse device buffers.
bool looks_at_buffer(const Candidate& candidate);
// The candidate runs an algorithm of ours.
bool runs_ours(const Candidate& candidate);

// No call gets past the candidates so far. (An algorithm with a workspace can be passed over:
// the workspace may not fit.)
bool ends_the_walk(const Shortlist& shortlist);

// Fills looks_at_block, looks_at_buffer and always_native from the candidates.
void set_facts(Shortlist& shortlist);

} // namespace switchyard::policy
