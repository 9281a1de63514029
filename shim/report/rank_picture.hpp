// What rank-<N>.jsonl files say of imbalance: ranks x time.
#pragma once

#include <string>
#include <vector>

namespace switchyard::shim::report {

struct RankPicture {
    // Neighbours share a row where there are more ranks than rows.
    struct Row {
        int first_rank = 0, last_rank = 0;
        double total_us = 0;         // in collectives, of the average rank of the row
        std::vector<double> slot_us; // the same, by stretch of time
    };
    double slot_length_us = 0;
    std::vector<Row> rows;
    std::vector<double> mean_us; // of all rows, by stretch of time
    double mean_total_us = 0;
};

inline constexpr std::size_t most_rank_rows = 32, rank_slots = 60;

// Empty rows where the log has no such files. `end_us`: how long the run lasted.
RankPicture rank_picture_of(const std::string& directory, double end_us);

} // namespace switchyard::shim::report
