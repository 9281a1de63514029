// A report as text, in 110 columns.
#pragma once

#include "profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

void print_text(const Profile& profile, std::ostream& out);

// `4 ranks on 2 nodes`
std::string shape_text(int ranks, int nodes);

// The first lines: what ran, where, when, and whether the log is whole. Shared with comparisons.
void print_head(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
