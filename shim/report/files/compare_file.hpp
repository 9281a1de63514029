// `switchyard report A B` as CSV and as JSON.
#pragma once

#include "shim/report/facts/compare.hpp"

#include <ostream>

namespace switchyard::shim::report {

void write_comparison_csv(const Folders& folders, std::ostream& out);
void write_comparison_json(const Folders& folders, std::ostream& out);

} // namespace switchyard::shim::report
