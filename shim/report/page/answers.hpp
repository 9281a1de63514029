// The first screen of a log's page: what people look for first. Everything below it says more about one of these.
#pragma once

#include "rank_picture.hpp"
#include "shim/report/facts/chosen_by.hpp"
#include "shim/report/read/profile.hpp"

#include <ostream>
#include <vector>

namespace switchyard::shim::report {

// Shares of the wall time, the calls that took most of it and why, what the policy did, and what to type next.
void write_answers(const Profile& profile, const std::vector<ChosenBy>& deciders, const RankPicture& ranks,
                   std::ostream& out);

} // namespace switchyard::shim::report
