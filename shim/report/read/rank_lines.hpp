// Reads rank-<N>.jsonl: the calls as single ranks saw them. Runs with
// SWITCHYARD_DETAIL=ranks have such files.
#pragma once

#include "call.hpp"

#include <functional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// The ranks with a file.
std::vector<int> ranks_with_lines(const std::string& directory);

// Torn lines are skipped. Throws std::runtime_error if the file cannot be read.
void for_each_rank_call(const std::string& directory, int rank, const std::function<void(const Call&)>& use);

} // namespace switchyard::shim::report
