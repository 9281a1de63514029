// The plots of a page, each with its table.
#pragma once

#include "series.hpp"
#include "sizes.hpp"

#include <ostream>
#include <vector>

namespace switchyard::shim::report {

void write_timeline(const Profile& profile, const std::vector<Series>& series, std::ostream& out);
void write_sizes(const Sizes& sizes, std::ostream& out);
void write_heat_map(const Profile& profile, std::ostream& out);
// Reads rank-<N>.jsonl. Writes nothing if the log has no such files.
void write_ranks(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
