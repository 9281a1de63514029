#include "crossover.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace switchyard::shim::predict {

namespace {

constexpr double metadata_bytes = 4; // of a block, in the paper

double us_of(const Predictor& predictor, std::string_view name, const Call& call) {
    policy::Choice choice;
    choice.algorithm = algorithms::find(call.collective, name);
    for (const auto parameter : choice.algorithm->parameters)
        choice.parameters[parameter] =
            algorithms::preset_of(algorithms::traits_of(parameter), call.shape.ranks);
    return predictor.of(choice).us();
}

bool padded_wins(const Machine& machine, Call call, std::size_t block) {
    call.max_block = block;
    const Predictor predictor(machine, call);
    return us_of(predictor, "padded_bruck", call) < us_of(predictor, "two_phase_bruck", call);
}

// Of a byte of a rank. `sharing`: ranks whose messages go through one NIC.
double beta_of(const Machine& machine, const Link& link, int sharing) {
    return std::max(1 / link.pair_bytes_per_us, sharing / machine.card_bytes_per_us);
}

// The smallest block from which on two-phase Bruck wins, between powers of two and then to the byte. Near the
// crossover the sizes of a few blocks decide, so single bytes beyond may differ.
std::optional<std::size_t> by_model(const Machine& machine, const Call& call) {
    std::size_t loses = largest_block_tried; // two-phase Bruck does not win here, after the loop
    if (padded_wins(machine, call, loses)) return std::nullopt;
    std::size_t wins = loses;
    while (loses > 1 && !padded_wins(machine, call, loses / 2)) wins = loses /= 2;
    if (loses == 1) return 1;
    for (loses = wins / 2; wins - loses > 1;) {
        const std::size_t middle = loses + (wins - loses) / 2;
        (padded_wins(machine, call, middle) ? loses : wins) = middle;
    }
    return wins;
}

} // namespace

double padded_wins_below(int ranks, double alpha_us, double beta_us_per_byte, double mean, double padded) {
    if (padded <= mean) return std::numeric_limits<double>::infinity();
    return (metadata_bytes + 2 * alpha_us / ((ranks + 1.0) * beta_us_per_byte)) / (padded - mean);
}

Crossover crossover_of(const Machine& machine, const Call& call) {
    const bool is_far = call.shape.nodes > 1;
    const Link& link = is_far ? machine.network : machine.node;
    // A message of no bytes in LogGP: both processors, and the network between them.
    const double alpha_us = link.latency_us + 2 * link.overhead_us;
    const BlockFacts facts = Blocks(call.distribution, call.shape.ranks, largest_block_tried).all();
    return {padded_wins_below(call.shape.ranks, alpha_us,
                              beta_of(machine, link, is_far ? call.shape.ranks_per_node : 0),
                              facts.mean / largest_block_tried, facts.largest / largest_block_tried),
            by_model(machine, call)};
}

} // namespace switchyard::shim::predict
