// Call groups for programs: CSV and JSON.
#pragma once

#include "profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

// A line per group below a line of names, as RFC 4180 has it. The columns are the keys of a group in JSON.
void write_csv(const Profile& profile, std::ostream& out);

// One object: "run", "totals" and "groups", whose keys `switchyard report --help` explains.
void write_json(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
