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
    std::uint64_t damaged = 0; // slots that say what no slot can say
};

// `calls`: the rank's .calls; its .ring and .names lie beside it, and each of them may be missing. No records
// where the rank was killed before it wrote any, or where the file is not ours. Throws std::runtime_error
// with a sentence for people where a file cannot be read, or is of another version.
RankRecords read_rank_records(const std::filesystem::path& calls);

} // namespace switchyard::shim::log
