// What the threads of this rank are at: in the lines about failures, hangs and crashes.
#pragma once

#include "options.hpp"

#include <atomic>
#include <cstdint>

namespace stress {

// One lane's place: what stands in its lines. Only its own thread writes.
struct Place {
    std::atomic<std::uint64_t> step{0}, progress{0};
    std::atomic<const char*> what{"starting"}; // a literal
    std::atomic<int> family{0}, ranks{0};
};

inline constexpr int most_lanes = 8;

// The place of the calling thread's lane.
Place& place();
void take_lane(int lane);

// A hang or a crash prints a line and ends the process.
void start_watching(const Options& options, int world_rank, int world_ranks);
void stop_watching();

// Prints what the rank begins, where somebody wants to know (tell=1).
[[gnu::format(printf, 1, 2)]] void tell(const char* format, ...);

// Prints a line of the first failures of this rank.
[[gnu::format(printf, 1, 2)]] void fail(const char* format, ...);
bool has_failed();
// Fails where an MPI function did.
void must(int code, const char* function);

} // namespace stress
