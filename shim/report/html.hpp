// A report as one page that needs no network, no scripts and no fonts.
#pragma once

#include "profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Also reads rank-<N>.jsonl where the log has them.
void write_html(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
