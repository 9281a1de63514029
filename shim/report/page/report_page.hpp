// A report as one page. It needs no network and no fonts, and scripts only for the plot with
// zoom and for sorting tables.
#pragma once

#include "page_assets.hpp"
#include "shim/report/read/profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Also reads rank-<N>.jsonl if the log has them. If `library` has no text, the plot that
// it would draw is missing.
void write_html(const Profile& profile, std::ostream& out, const Script& library = plot_library);

} // namespace switchyard::shim::report
