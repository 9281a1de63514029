// Two logs side by side, group by group.
#pragma once

#include "pairs.hpp"
#include "pool.hpp"

#include <array>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Calls of one log with the same collective, ranks and block; their algorithms may differ. A log may be a sum
// of several runs.
struct ComparedSide {
    std::uint64_t calls = 0;
    double time_us = 0; // of the average rank of its run
    Samples call_us;
    std::string algorithms; // with parameters, the most time first: `tuna radix=4, native`
};

struct ComparedGroup {
    std::string collective;
    int ranks = 0;
    unsigned block_bits = 0;
    std::array<ComparedSide, 2> sides;
    bool in_both() const { return sides[0].calls > 0 && sides[1].calls > 0; }
    // The second log's median over the first log's: below 1 if the second is faster. 0:
    // there is nothing to compare.
    double ratio() const;
    // The same for the mean time of a call. Unlike the median it shows outliers.
    double mean_ratio() const;
};

// Sorted: groups in both logs first, then by the larger of the times in the two logs.
std::vector<ComparedGroup> compare(const Profile& first, const Profile& second);

// The runs of two folders. Runs of one program with one number of ranks are compared with each other,
// separately from other runs.
using Folders = std::array<PooledFolder, 2>;

// Two pools that are compared; null: only the other folder has such runs.
using Pools = std::array<const Pool*, 2>;
// Pools with runs in both folders first. If each folder has a single pool, the two are
// compared even if they differ.
std::vector<Pools> matched(const Folders& folders);

} // namespace switchyard::shim::report
