#include "admissible.hpp"
#include "automatic.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace switchyard::policy {

using algorithms::Parameter;
using algorithms::Parameters;
using algorithms::ParameterTraits;
using algorithms::Traits;

namespace {

using algorithms::patterns::Radices;

// A list of radices writes as many numbers as its product.
std::string why_list_is_short(const Traits& traits, const ParameterTraits& parameter, std::int64_t value,
                              const algorithms::GroupShape& shape) {
    const int wanted = distances_of(traits, shape);
    const std::int64_t most = Radices(value).product(wanted);
    if (most == wanted) return "";
    return std::string(parameter.name) + ' ' + text_of(parameter, value) + " is for at most " +
           std::to_string(most) + ' ' + std::string(distances_bounded(traits)) + ", and there are " +
           std::to_string(wanted);
}

std::string why_out_of_range(const ParameterTraits& bounds, std::int64_t value, int ranks) {
    const std::int64_t largest = maximum_of(bounds, ranks);
    const std::string what = std::string(bounds.name) + ' ' + std::to_string(value);
    if (value < bounds.minimum) return what + " is less than " + std::to_string(bounds.minimum);
    if (value <= largest) return "";
    const bool is_ranks = bounds.ranks_bound && largest == ranks;
    return what + " is more than " + std::to_string(largest) + (is_ranks ? " ranks" : "");
}

// "auto": blocks from 16 KiB on go directly. With 32 KiB, uniform blocks of up to 32 KiB took 1.06 of
// native's time over TCP, with 16 KiB 0.94. `shared` copies blocks of 32 KiB in 0.35 to 0.49 of native's
// time. If the workspace would be too large, the border is lower. Most of a workspace is never touched: it is
// for blocks that could be forwarded.
std::int64_t automatic_direct_from(const Traits& traits, Parameters parameters,
                                   const algorithms::GroupShape& shape, std::uint64_t memory_limit_bytes) {
    constexpr std::int64_t in_memory = 65536, lowest = 64;
    const bool is_in_memory = traits.has(algorithms::shared_memory);
    for (std::int64_t border = is_in_memory ? in_memory : automatic_border; border > lowest; border /= 2) {
        parameters[Parameter::direct_from] = border;
        if (!why_out_of_bounds(traits, parameters, shape).empty()) return border; // it will not run
        if (traits.scratch_bytes == nullptr ||
            traits.scratch_bytes(shape, 0, parameters) <= memory_limit_bytes)
            return border;
    }
    return lowest;
}

// Algorithms that forward take memory of the size of direct_from for each block, and some send messages of
// this size: gigabytes, if the border is gigabytes. Blocks far below 1 MiB already lose time on a way over
// other ranks (above), so a larger border counts as 1 MiB.
std::int64_t effective_direct_from(const Traits& traits, std::int64_t border) {
    constexpr std::int64_t most_forwarded = std::int64_t{1} << 20;
    const bool is_possible = border <= traits_of(Parameter::direct_from).maximum; // else its rule is skipped
    const bool forwards = traits.has(algorithms::agreed_block | algorithms::knows_edges);
    return is_possible && forwards ? std::min(border, most_forwarded) : border;
}

} // namespace

std::string why_out_of_bounds(const Traits& traits, const Parameters& parameters,
                              const algorithms::GroupShape& shape) {
    for (const Parameter parameter : traits.parameters) {
        const ParameterTraits& bounds = traits_of(parameter);
        const std::int64_t value = parameters[parameter];
        if (is_absent(bounds, value)) continue;
        std::string why = is_list(bounds, value) ? why_list_is_short(traits, bounds, value, shape)
                                                 : why_out_of_range(bounds, value, shape.ranks);
        if (!why.empty()) return why;
    }
    return "";
}

namespace {

// "auto" of radix and block_count. Neither the largest block nor a border may be known.
void follow_block(const Traits& traits, const algorithms::GroupShape& shape, std::optional<std::size_t> block,
                  Parameters& parameters) {
    constexpr auto automatic = algorithms::automatic;
    constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max(),
                          largest_size = std::size_t{1} << 40U;
    if (block) block = std::bit_ceil(std::min(*block, largest_size));
    const std::int64_t given = parameters[Parameter::direct_from];
    const std::size_t border = given == algorithms::absent ? unknown
                               : given == automatic        ? automatic_border
                                                           : static_cast<std::size_t>(given);
    const std::size_t bytes = std::min(block.value_or(border), border); // of a forwarded block
    if (parameters[Parameter::radix] == automatic)
        parameters[Parameter::radix] =
            automatic_radix(traits, parameters, shape, {bytes, !block || *block > border});
    if (parameters[Parameter::block_count] == automatic)
        parameters[Parameter::block_count] = block.value_or(border) == unknown
                                                 ? preset_of(traits_of(Parameter::block_count), shape.ranks)
                                                 : automatic_block_count(shape, block.value_or(border));
}

} // namespace

Parameters resolve(const Traits& traits, const Use& use, const algorithms::GroupShape& shape,
                   std::optional<std::size_t> block) {
    constexpr std::uint64_t most_automatic_bytes = std::uint64_t{64} << 20;
    Parameters resolved;
    for (const Parameter parameter : traits.parameters) {
        const auto given = use.parameters[static_cast<std::size_t>(parameter)];
        resolved[parameter] = given ? *given : preset_of(traits, traits_of(parameter), shape.ranks);
    }
    follow_block(traits, shape, block, resolved);
    if (resolved[Parameter::direct_from] == algorithms::automatic)
        resolved[Parameter::direct_from] = automatic_direct_from(
            traits, resolved, shape, use.memory_limit_bytes.value_or(most_automatic_bytes));
    else if (sends_directly(resolved))
        resolved[Parameter::direct_from] = effective_direct_from(traits, resolved[Parameter::direct_from]);
    return resolved;
}

namespace {

// "", or why the communicator is not what the algorithm needs.
std::string why_not_its_needs(const Traits& traits, const FixedFeatures& fixed) {
    if (traits.has(algorithms::power_of_two_ranks) &&
        !std::has_single_bit(static_cast<unsigned>(fixed.ranks)))
        return std::to_string(fixed.ranks) + " ranks are no power of two";
    if (traits.has(algorithms::shared_memory) && fixed.nodes > 1)
        return "its ranks are on " + std::to_string(fixed.nodes) + " nodes";
    if (traits.has(algorithms::shared_memory) && !fixed.shared_memory)
        return "its ranks have no memory that they share";
    if (fixed.overlapping && !traits.native && !traits.has(algorithms::takes_overlap))
        return "send and receive buffers overlap";
    return "";
}

} // namespace

std::string why_not_admissible(const Traits& traits, const Parameters& parameters,
                               const FixedFeatures& fixed) {
    if (std::string why = why_not_its_needs(traits, fixed); !why.empty()) return why;
    return why_out_of_bounds(traits, parameters, shape_of(fixed));
}

std::string why_not_admissible(const Traits& traits, const Use& use) {
    for (const Parameter parameter : traits.parameters)
        if (const auto given = use.parameters[static_cast<std::size_t>(parameter)];
            given && is_absent(traits_of(parameter), *given))
            return why_out_of_range(traits_of(parameter), *given, 1);
    return "";
}

std::uint64_t left_from(const Traits& traits, const Use& use) {
    const auto given = use.parameters[static_cast<std::size_t>(Parameter::direct_from)];
    const bool is_for_all = traits.takes(Parameter::direct_from) || traits.native;
    if (!given || is_for_all || !traits_of(traits.collective).block_is_known())
        return std::numeric_limits<std::uint64_t>::max();
    if (*given == algorithms::automatic) return automatic_border;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(*given, 0));
}

bool takes(const Traits& traits, Transfer transfer) {
    switch (transfer) {
    case Transfer::direct: return traits.has(algorithms::moves_by_mpi_alone);
    case Transfer::ipc:
        return traits.has(algorithms::shared_memory) && !traits_of(traits.collective).is_among_neighbors;
    case Transfer::staged: break;
    }
    return true;
}

std::string why_not_taken(const Traits& traits, Transfer transfer) {
    const std::string what = transfer == Transfer::direct            ? "copies bytes itself"
                             : traits.has(algorithms::shared_memory) ? "is among neighbours"
                                                                     : "sends messages";
    return what + " and takes no transfer \"" +
           std::string(transfer_names[static_cast<std::size_t>(transfer)]) + '"';
}

std::string why_not_admissible(const Traits& traits, const std::optional<Transfer>& transfer) {
    if (!transfer || takes(traits, *transfer)) return "";
    return std::string(traits.name) + ' ' + why_not_taken(traits, *transfer);
}

bool uses_shared_memory(const Traits& traits, const Parameters& parameters) {
    constexpr auto shared = static_cast<std::int64_t>(algorithms::Intra::shared);
    return traits.has(algorithms::shared_memory) ||
           (traits.takes(Parameter::intra) && parameters[Parameter::intra] == shared);
}

std::string_view distances_bounded(const Traits& traits) {
    return traits.has(algorithms::digits_of_nodes)  ? "nodes"
           : traits.has(algorithms::digits_in_node) ? "ranks on a node"
                                                    : "ranks";
}

std::uint64_t most_distances(const Traits& traits, const Use& use) {
    for (const Parameter parameter : traits.parameters)
        if (const auto given = use.parameters[static_cast<std::size_t>(parameter)];
            given && is_list(traits_of(parameter), *given))
            return static_cast<std::uint64_t>(Radices(*given).product(most_ranks));
    return 0;
}

std::uint64_t fewest_ranks(const Traits& traits, const Use& use) {
    std::uint64_t fewest = 1;
    for (const Parameter parameter : traits.parameters) {
        const auto given = use.parameters[static_cast<std::size_t>(parameter)];
        const ParameterTraits& bounds = traits_of(parameter);
        if (given && bounds.ranks_bound && !is_list(bounds, *given) && *given > bounds.minimum)
            fewest = std::max(fewest, static_cast<std::uint64_t>(*given));
    }
    return fewest;
}

const Traits* taking_overlap(Collective collective) {
    for (const Traits& traits : algorithms::all_traits())
        if (traits.collective == collective && traits.has(algorithms::takes_overlap)) return &traits;
    return nullptr;
}

bool can_meet_overlap(const Traits& traits) {
    return (traits.native || traits.has(algorithms::takes_overlap)) && taking_overlap(traits.collective);
}

std::vector<Range> possible_ranks(const Traits& traits, const Use& use, const Range& within) {
    const Range range{std::max(within.min, fewest_ranks(traits, use)), within.max};
    std::vector<Range> ranges;
    if (!traits.has(algorithms::power_of_two_ranks)) {
        if (range.min <= range.max) ranges.push_back(range);
        return ranges;
    }
    for (int bit = 0; bit < 31; ++bit) { // MPI counts ranks with int
        const std::uint64_t ranks = std::uint64_t{1} << bit;
        if (range.min <= ranks && ranks <= range.max) ranges.push_back({ranks, ranks});
    }
    return ranges;
}

bool always_admissible(const Traits& traits, const Use& use, Buffer buffer) {
    if (traits.has(algorithms::shared_memory)) return false; // there may be none
    if (buffer == Buffer::device) { // the MPI may not take it, or staging may take too much memory
        if (use.transfer == Transfer::direct || use.transfer == Transfer::ipc) return false;
        const bool stages = use.transfer == Transfer::staged || !traits.native;
        if (use.memory_limit_bytes && stages) return false;
    }
    return !use.memory_limit_bytes || traits.scratch_bytes == nullptr;
}

} // namespace switchyard::policy
