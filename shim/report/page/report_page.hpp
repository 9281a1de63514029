// A report as one page that needs no network, no fonts, and no script for anything but plots with zoom and
// sorted tables.
#pragma once

#include "page_assets.hpp"
#include "shim/report/read/profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Also reads rank-<N>.jsonl where the log has them. Without the text of a library there are no plots that it
// would draw.
void write_html(const Profile& profile, std::ostream& out, const Script& library = plot_library);

} // namespace switchyard::shim::report
