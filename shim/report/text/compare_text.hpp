// The text of `switchyard report A B`.
#pragma once

#include "shim/report/facts/compare.hpp"

#include <ostream>

namespace switchyard::shim::report {

void print_comparison(const Folders& folders, std::ostream& out);

} // namespace switchyard::shim::report
