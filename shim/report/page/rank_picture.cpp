#include "rank_picture.hpp"

#include "shim/common/formatted.hpp"
#include "shim/report/read/rank_lines.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

// A call that spans several stretches of time counts in each stretch with its part.
void add(RankPicture::Row& row, double begin, double length, double slot_length, double weight) {
    row.total_us += weight * length;
    const double end = begin + length;
    const auto slot_of = [&](double time) {
        const double last = static_cast<double>(row.slot_us.size() - 1);
        return static_cast<std::size_t>(std::clamp(time / slot_length, 0.0, last));
    };
    for (auto slot = slot_of(begin); slot <= slot_of(end); ++slot) {
        const double from = static_cast<double>(slot) * slot_length;
        const bool last = slot + 1 == row.slot_us.size();
        row.slot_us[slot] +=
            weight * std::max(0.0, (last ? end : std::min(end, from + slot_length)) - std::max(begin, from));
    }
}

void add_means(RankPicture& picture) {
    double ranks = 0;
    picture.mean_us.assign(rank_slots, 0);
    for (const auto& row : picture.rows) {
        const double here = row.last_rank - row.first_rank + 1;
        ranks += here;
        picture.mean_total_us += here * row.total_us;
        for (std::size_t i = 0; i < rank_slots; ++i) picture.mean_us[i] += here * row.slot_us[i];
    }
    if (ranks == 0) return;
    picture.mean_total_us /= ranks;
    for (auto& mean : picture.mean_us) mean /= ranks;
}

} // namespace

std::string RankPicture::Row::name() const {
    return first_rank == last_rank ? std::to_string(first_rank) : formatted("{}-{}", first_rank, last_rank);
}

RankPicture rank_picture_of(const Profile& profile) {
    RankPicture picture;
    const auto& directory = profile.run.directory;
    const auto ranks = ranks_with_lines(directory);
    picture.slot_length_us =
        std::max({profile.wall_us(), profile.end_us, 1.0}) / static_cast<double>(rank_slots);
    const std::size_t in_row = (ranks.size() + most_rank_rows - 1) / most_rank_rows;
    for (std::size_t first = 0; first < ranks.size(); first += in_row) {
        const auto last = std::min(first + in_row, ranks.size()) - 1;
        auto& row = picture.rows.emplace_back(
            RankPicture::Row{ranks[first], ranks[last], 0, std::vector<double>(rank_slots)});
        const double weight = 1.0 / static_cast<double>(last - first + 1);
        for (auto i = first; i <= last; ++i)
            for_each_rank_call(directory, ranks[i], [&](const Call& call) {
                add(row, call.begin, call.time_mean, picture.slot_length_us, weight);
            });
    }
    add_means(picture);
    return picture;
}

} // namespace switchyard::shim::report
