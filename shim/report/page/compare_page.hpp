// The page of `switchyard report A B`.
#pragma once

#include "shim/report/facts/compare.hpp"

#include <ostream>

namespace switchyard::shim::report {

void write_comparison_html(const Folders& folders, std::ostream& out);

} // namespace switchyard::shim::report
