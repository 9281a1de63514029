// The sums of the collectives that are only counted: no policy routes them.
#pragma once

#include "shim/common/log/read.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// The calls of one function, over all ranks.
struct CountedKind {
    std::string name; // `allreduce`
    std::uint64_t calls = 0;
    double rank_us = 0; // added up over the ranks
    double most_us = 0; // of the rank with the most
    double bytes = 0;   // that the ranks sent

    // Its time is that of the call that starts it, without the waiting for its end.
    bool ends_elsewhere() const;
};

// The most time first. For a run without an end: from its ranks' files. Empty if the log has no such sums.
std::vector<CountedKind> counted_of(const log::LoggedRun& run, const nlohmann::json& run_json);

double rank_us_of(const std::vector<CountedKind>& counted);

} // namespace switchyard::shim::report
