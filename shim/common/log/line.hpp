// A line of calls.jsonl.
#pragma once

#include "merge.hpp"

#include <string>

namespace switchyard::shim::log {

// One call over its ranks, as the contract has it. `number`: of the line in the log, from 1. Without a
// newline.
std::string call_line(std::uint64_t number, const MergedCall& call, const CommunicatorName& communicator,
                      const std::string& decision);

// The same call as one rank saw it (detail `ranks`).
std::string rank_line(const CallRecord& record, int world_rank, const CommunicatorName& communicator,
                      const std::string& decision);

} // namespace switchyard::shim::log
