// The coverage of a policy as a picture.
#pragma once

#include "shim/report/facts/coverage.hpp"

#include <string>

namespace switchyard::shim::report {

// A whole SVG document.
std::string coverage_plot(const policy::Policy& policy, const Coverage& coverage);

} // namespace switchyard::shim::report
