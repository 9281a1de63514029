// What a run learned, in one sentence for its last line and for reports.
#pragma once

#include "lesson.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::adaptive {

// The file in the run's folder.
inline constexpr const char* learned_policy_name = "learned.policy.json";

// `learned.policy.json: tuna radix=4 won 2 of 3 kinds of calls, native 1; 42 of 400 calls were trials, which
// lost 1.2 ms`. `written`: the file is there. "" if nothing was tried. May throw if a use is not JSON.
std::string outcome(const std::vector<Lesson>& lessons, bool written);

} // namespace switchyard::shim::adaptive
