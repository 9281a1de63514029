// Call groups as CSV and JSON, for programs.
#pragma once

#include "shim/report/read/profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// A line of names, then a line for each group (RFC 4180). The columns are the keys of a group in JSON.
void write_csv(const Profile& profile, std::ostream& out);

// One object with "run", "totals" and "groups". `switchyard report --help` explains the keys of a group.
void write_json(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
