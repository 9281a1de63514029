// The plots of a page, each with its table. All but the timeline are tables with colours and bars.
#pragma once

#include "page_assets.hpp"
#include "rank_picture.hpp"
#include "series.hpp"
#include "sizes.hpp"

#include <ostream>
#include <vector>

namespace switchyard::shim::report {

// `library` draws the plot. If it has no text, the page says so.
void write_timeline(const Profile& profile, const std::vector<Series>& series, const Script& library,
                    std::ostream& out);
void write_sizes(const Sizes& sizes, std::ostream& out);
void write_heat_map(const Profile& profile, std::ostream& out);
// Writes nothing if the picture has no rows.
void write_ranks(const Profile& profile, const RankPicture& picture, std::ostream& out);

} // namespace switchyard::shim::report
