// Sums over the ranks of the calls that are only counted. counted_sums.cpp writes and reads them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::shim::log {

// One function's sums, over the ranks.
struct CountedTotal {
    std::string name;
    std::uint64_t calls = 0;       // of all ranks
    std::uint64_t elapsed = 0;     // of all ranks, in nanoseconds
    std::uint64_t elapsed_max = 0; // of the rank with the most
    std::uint64_t bytes = 0;       // of all ranks
};

// Adds the sums of a rank's ring_file, as a run without an end left it. Lines with
// impossible values are left out.
void add_counted_sums(const std::filesystem::path& file, std::vector<CountedTotal>& totals);

} // namespace switchyard::shim::log
