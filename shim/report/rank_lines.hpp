// The calls as single ranks saw them: rank-<N>.jsonl, which a run with SWITCHYARD_DETAIL=ranks leaves.
#pragma once

#include "call.hpp"

#include <functional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Ranks that have such a file.
std::vector<int> ranks_with_lines(const std::string& directory);

// Lines that are torn are passed over.
void for_each_rank_call(const std::string& directory, int rank, const std::function<void(const Call&)>& use);

} // namespace switchyard::shim::report
