#include "verdict.hpp"

#include "shim/common/formatted.hpp"
#include "units.hpp"

#include <cmath>

namespace switchyard::shim::report {

namespace {

// Five pairs with one winner are the fewest that pass: chance alone gives them in 1 of 16 comparisons.
constexpr double most_chance = 0.1;
constexpr std::size_t fewest_pairs = 5;

bool is_sure(const Paired& paired) {
    return paired.chance() <= most_chance;
}

bool is_faster(const Paired& paired) {
    return paired.faster > paired.slower;
}

// `0.61 of A's wall time (1.68 s -> 1.02 s)`
std::string gain_text(const Paired& paired, std::string_view what) {
    return formatted("{:.2f} of A's {} ({} -> {})", paired.ratio.median, what,
                     time_text(paired.sides[0].median), time_text(paired.sides[1].median));
}

std::string also_in_collectives(const Paired& collectives) {
    if (collectives.pairs() == 0) return "";
    const auto ratio = formatted(" and {:.2f} of its time in collectives", collectives.ratio.median);
    return collectives.pairs() == 1 ? ratio : ratio + " (" + won_text(collectives) + ")";
}

std::string answer(const Paired& paired) {
    if (!is_sure(paired)) return "Whether B is faster is not sure";
    return is_faster(paired) ? "B is faster" : "B is slower";
}

std::string how_sure(const Paired& paired) {
    if (is_sure(paired))
        return formatted("chance alone does so in 1 of {:.0f} such comparisons",
                         std::round(1 / paired.chance()));
    const bool agree = (paired.faster == 0) != (paired.slower == 0);
    if (agree && paired.pairs() < fewest_pairs)
        return formatted("{} {} too few to be sure, run {} or more in turn", counted(paired.pairs(), "pair"),
                         paired.pairs() == 1 ? "is" : "are", fewest_pairs);
    return "chance alone often does so";
}

} // namespace

std::string won_text(const Paired& paired) {
    const auto pairs = counted(paired.pairs(), "pair");
    if (paired.faster + paired.slower == 0) return formatted("equal in {} of {}", paired.pairs(), pairs);
    const bool faster = paired.faster >= paired.slower;
    return formatted("{} in {} of {}", faster ? "faster" : "slower", faster ? paired.faster : paired.slower,
                     pairs);
}

std::string verdict(const Paired& wall, const Paired& collectives) {
    if (wall.pairs() > 0)
        return answer(wall) + ": it takes " + gain_text(wall, "wall time") +
               (wall.pairs() > 1 ? ", " + won_text(wall) + "," : "") + also_in_collectives(collectives) +
               "; " + how_sure(wall) + ".";
    if (collectives.pairs() > 0)
        return answer(collectives) + ": no wall time is known of one side, and it takes " +
               gain_text(collectives, "time in collectives") +
               (collectives.pairs() > 1 ? ", " + won_text(collectives) : "") + "; " + how_sure(collectives) +
               ".";
    return "Whether B is faster is not known: there is no pair of runs with known times.";
}

} // namespace switchyard::shim::report
