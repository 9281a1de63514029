// The records of one rank, as a run without an end left them.
#pragma once

#include "merge.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace switchyard::shim::log {

struct RankRecords {
    Names names;
    std::vector<Slot> slots;   // each once, whole and in its place
    std::uint64_t damaged = 0; // slots with impossible values
};

// `calls`: the rank's .calls; its .ring and .names lie next to it. Each of the three may be missing. Empty if
// the rank was killed before it wrote a record, or if the file is not ours. Throws std::runtime_error with a
// sentence for people if a file cannot be read, or is of another version.
RankRecords read_rank_records(const std::filesystem::path& calls);

} // namespace switchyard::shim::log
