// The end of a run that learned about its adaptive uses: the ranks' lessons become learned.policy.json.
#pragma once

#include "shim/back_end/process/process.hpp"
#include "shim/common/learning/lesson.hpp"

#include <string>

namespace switchyard::shim::adaptive {

// Whether anything can be learned: some use is adaptive. The same on all ranks.
bool is_used(const Process& self);

struct Learned {
    std::string lessons; // a JSON array for run.json
    std::string outcome; // a sentence for the last line of the run
};

// Joins the ranks' lessons and writes learned.policy.json next to the log. Returns on rank 0 what was
// learned. Collective over the run's world, if is_used() and a log is kept. Never throws.
Learned end_learning(const Process& self, const Lessons& learned);

} // namespace switchyard::shim::adaptive
