// The coverage of a policy as a picture.
#pragma once

#include "coverage.hpp"

#include <string>

namespace switchyard::shim::report {

// SVG that stands for itself.
std::string coverage_plot(const policy::Policy& policy, const Coverage& coverage);

} // namespace switchyard::shim::report
