// The page of `switchyard report A B`.
#pragma once

#include "page_assets.hpp"
#include "shim/report/facts/compare.hpp"

#include <ostream>

namespace switchyard::shim::report {

// If `library` has no text, the page has no plots.
void write_comparison_html(const Folders& folders, std::ostream& out, const Script& library = plot_library);

} // namespace switchyard::shim::report
