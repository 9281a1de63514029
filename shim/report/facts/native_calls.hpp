// Who ran the native calls: the MPI's components, and what somebody set.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// None if the log does not say it, or if a whole run has no native call. `Open MPI takes each collective from
// the first component that has it: tuned (priority 30), basic and libnbc (10), ...`
std::vector<std::string> native_sentences(const Profile& profile);

// What the sentences are about.
inline constexpr const char* native_title = "Who ran the native calls";
inline constexpr const char* native_note =
    "as rank 0 saw it when the run started; the MPI does not say who serves which communicator";

} // namespace switchyard::shim::report
