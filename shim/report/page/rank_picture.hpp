// The imbalance of ranks over time, from rank-<N>.jsonl.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

struct RankPicture {
    // With more ranks than rows, neighbouring ranks share a row.
    struct Row {
        int first_rank = 0, last_rank = 0;
        std::string name() const;    // `3`, `4-7`
        double total_us = 0;         // time in collectives, of the average rank of the row
        std::vector<double> slot_us; // the same for each stretch of time
    };
    double slot_length_us = 0;
    std::vector<Row> rows;
    std::vector<double> mean_us; // over all ranks, for each stretch of time
    double mean_total_us = 0;
};

inline constexpr std::size_t most_rank_rows = 32, rank_slots = 60;

// There are no rows if the log has no such files.
RankPicture rank_picture_of(const Profile& profile);

} // namespace switchyard::shim::report
