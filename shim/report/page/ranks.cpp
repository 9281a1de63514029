#include "html_table.hpp"
#include "page_parts.hpp"
#include "page_plots.hpp"
#include "rank_picture.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

// How much more of a stretch of time the row spent in collectives than the average rank.
double difference(const RankPicture& picture, const RankPicture::Row& row, std::size_t stretch) {
    return (row.slot_us[stretch] - picture.mean_us[stretch]) / picture.slot_length_us;
}

double largest_difference(const RankPicture& picture) {
    double largest = 0;
    for (const auto& row : picture.rows)
        for (std::size_t i = 0; i < rank_slots; ++i)
            largest = std::max(largest, std::abs(difference(picture, row, i)));
    return largest;
}

// A field for each stretch of time.
std::string fields_of(const RankPicture& picture, const RankPicture::Row& row, double largest) {
    const auto stretches = [&](bool late) {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < rank_slots; ++i) {
            const double more = difference(picture, row, i);
            if (std::abs(more) >= 0.5 * largest && (more < 0) == late && more != 0) ++count;
        }
        return count;
    };
    auto fields =
        formatted("<span class=\"stretches\" role=\"img\" aria-label=\"Rank {}: far behind in {} of {} "
                  "stretches, waited long in {}\">",
                  row.name(), stretches(true), rank_slots, stretches(false));
    for (std::size_t i = 0; i < rank_slots; ++i) {
        if (row.slot_us[i] <= 0 && picture.mean_us[i] <= 0) {
            fields += "<i></i>"; // no calls: the background shows
            continue;
        }
        const double more = difference(picture, row, i);
        const double begin_us = picture.slot_length_us * static_cast<double>(i);
        fields += formatted(
            "<i class=\"{}\" style=\"--strength:{:.2f}\" title=\"rank {}, {} to {}\n{:.1f}% of it in "
            "collectives; {:+.1f} points more than the average rank\"></i>",
            more < 0 ? "late" : "waited", largest > 0 ? std::abs(more) / largest : 0, row.name(),
            time_text(begin_us), time_text(begin_us + picture.slot_length_us),
            100 * row.slot_us[i] / picture.slot_length_us, 100 * more);
    }
    return fields + "</span>";
}

// Times of the run, above the stretches.
std::string time_axis(double end_us) {
    std::string axis = "<span class=\"times\"><span>0</span>";
    for (int quarter = 1; quarter <= 4; ++quarter)
        axis += "<span>" + short_time_text(end_us * quarter / 4) + "</span>";
    return axis + "</span>";
}

} // namespace

void write_ranks(const Profile& profile, const RankPicture& picture, std::ostream& out) {
    if (picture.rows.empty()) return;
    const double largest = largest_difference(picture);
    begin_section(out, "ranks", "Ranks");
    out << "<p>Time in collectives, compared with the average rank in the same stretch of time. Blue and "
           "below "
           "the line: the rank came late and spent less time in collectives. Orange and above: the rank "
           "waited "
           "and spent more. Grey: no calls. "
        << formatted("The strongest colour: {:.0f} points of a stretch.</p>\n", 100 * largest);
    {
        HtmlTable table(out,
                        {{"ranks"},
                         {time_axis(picture.slot_length_us * static_cast<double>(rank_slots)), Cells::words},
                         {"in collectives"},
                         {"of the wall time"},
                         {"against the average"}});
        for (const auto& row : picture.rows)
            table.row({{row.name(), static_cast<double>(row.first_rank)},
                       {fields_of(picture, row, largest), static_cast<double>(row.first_rank)},
                       time_cell(row.total_us),
                       {share_text(row.total_us, profile.wall_us()), row.total_us},
                       {formatted("{:+.1f}%", picture.mean_total_us > 0
                                                  ? 100 * (row.total_us / picture.mean_total_us - 1)
                                                  : 0.0),
                        row.total_us}});
    }
    out << "</section>\n";
}

} // namespace switchyard::shim::report
