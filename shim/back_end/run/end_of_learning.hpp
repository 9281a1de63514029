// The end of a run that learned of its adaptive uses: the ranks' lessons become learned.policy.json.
#pragma once

#include "shim/back_end/process/process.hpp"
#include "shim/common/learning/lesson.hpp"

#include <string>

namespace switchyard::shim::adaptive {

// Whether anything can be learned: some use is adaptive. The same on all ranks.
bool is_used(const Process& self);

// Joins the ranks' lessons and writes learned.policy.json beside the log; on rank 0 a JSON array for run.json. Collective
// over the run's world, where is_used() and a log is kept. Never throws.
std::string end_learning(const Process& self, const Lessons& learned);

} // namespace switchyard::shim::adaptive
