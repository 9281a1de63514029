#include "verdict.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

namespace switchyard::shim::report {

namespace {

bool is_faster(const Paired& paired) {
    return paired.faster > paired.slower;
}

// No pair has a winner.
bool is_equal(const Paired& paired) {
    return paired.faster + paired.slower == 0;
}

// `0.61 of A's wall time (1.68 s -> 1.02 s)`
std::string gain_text(const Paired& paired, const Sides& sides, std::string_view what) {
    return formatted("{:.2f} of {} {} ({} -> {})", paired.ratio.median, sides.a_possessive, what,
                     time_text(paired.sides[0].median), time_text(paired.sides[1].median));
}

std::string also_in_collectives(const Paired& collectives) {
    if (collectives.pairs() == 0) return "";
    const auto ratio = formatted(" and {:.2f} of its time in collectives", collectives.ratio.median);
    return collectives.pairs() == 1 ? ratio : "," + ratio + " (" + won_text(collectives) + ")";
}

std::string_view answer(const Paired& paired) {
    if (is_equal(paired)) return "is equally fast";
    if (paired.faster == paired.slower) return "is as often slower as faster";
    if (paired.is_sure()) return is_faster(paired) ? "is faster" : "is slower";
    return is_faster(paired) ? "may be faster" : "may be slower";
}

std::string how_sure(const Paired& paired) {
    if (is_equal(paired)) return "";
    if (paired.is_sure())
        return formatted("; significant (two-sided sign test, p = {:.2g})", paired.chance());
    const bool agree = (paired.faster == 0) != (paired.slower == 0);
    if (agree && paired.pairs() < fewest_pairs)
        return formatted("; {} {} too few to be sure, run {} or more in turn",
                         text::plural(paired.pairs(), "pair"), paired.pairs() == 1 ? "is" : "are",
                         fewest_pairs);
    return "; not statistically significant";
}

} // namespace

std::string won_text(const Paired& paired) {
    const auto pairs = text::plural(paired.pairs(), "pair");
    if (is_equal(paired)) return formatted("equal in {} of {}", paired.pairs(), pairs);
    const bool faster = paired.faster >= paired.slower;
    return formatted("{} in {} of {}", faster ? "faster" : "slower", faster ? paired.faster : paired.slower,
                     pairs);
}

std::string verdict(const Paired& wall, const Paired& collectives, const Sides& sides) {
    if (wall.pairs() > 0)
        return formatted("{} {}: it takes {}{}{}{}.", sides.b, answer(wall),
                         gain_text(wall, sides, "wall time"), wall.pairs() > 1 ? ", " + won_text(wall) : "",
                         also_in_collectives(collectives), how_sure(wall));
    if (collectives.pairs() > 0)
        return formatted("{} {}: no wall time is known of one side, and it takes {}{}{}.", sides.b,
                         answer(collectives), gain_text(collectives, sides, "time in collectives"),
                         collectives.pairs() > 1 ? ", " + won_text(collectives) : "", how_sure(collectives));
    return formatted("{} cannot be compared: there is no pair of runs with known times.", sides.b);
}

} // namespace switchyard::shim::report
