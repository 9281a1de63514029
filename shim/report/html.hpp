// A report as one page that needs nothing else: no network, no scripts, no fonts.
#pragma once

#include "profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Reads the ranks' own lines, too, where the log has them.
void write_html(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
