// Calls and their time by the size of the largest block.
#pragma once

#include "shim/report/read/profile.hpp"

#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::report {

struct Sizes {
    struct Part {
        std::uint64_t calls = 0;
        double time_us = 0; // of the average rank
    };
    // The collective with the most time in one group first. The first `series_colours` stand alone; the rest
    // becomes one entry.
    std::vector<std::string> collectives;
    // By block; a part for each collective.
    std::map<unsigned, std::vector<Part>> blocks;
};

Sizes sizes_of(const Profile& profile);

} // namespace switchyard::shim::report
