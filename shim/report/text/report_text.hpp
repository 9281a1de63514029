// A report as text, at most 110 columns wide.
#pragma once

#include "shim/report/facts/run_sentences.hpp"
#include "shim/report/read/profile.hpp"

#include <ostream>

namespace switchyard::shim::report {

void print_text(const Profile& profile, std::ostream& out);

// The first lines of a report: program, place, time, and whether the log is complete.
void print_head(const Profile& profile, std::ostream& out);

// `  command   ./app`, broken where it is too long; nothing where there is no text.
void print_fact(std::ostream& out, const Fact& fact);

// The sentences about what the log does not hold, with an empty line before each.
void print_damage(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
