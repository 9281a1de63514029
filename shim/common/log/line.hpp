// The lines of calls.jsonl, rank-<N>.jsonl and seen-<N>.jsonl; README.md has their fields.
#pragma once

#include "merge.hpp"

#include <string>

namespace switchyard::shim::log {

// A call over all its ranks. `number` is the number of the line in the log, from 1. The text has no newline.
std::string call_line(std::uint64_t number, const MergedCall& call, const CommunicatorName& communicator,
                      const std::string& decision);

// A call as one rank saw it (detail `ranks`).
std::string rank_line(const CallRecord& record, int world_rank, const CommunicatorName& communicator,
                      const std::string& decision);

// A call that is only counted, as one rank saw it (detail `all`).
std::string counted_line(const CountedRecord& record, int world_rank);

} // namespace switchyard::shim::log
