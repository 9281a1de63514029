#include "coverage.hpp"

#include "policy/prune.hpp"
#include "policy/reason.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

using policy::Features;

Features call_of(policy::Collective collective, int ranks, int ranks_per_node) {
    Features call;
    call.collective = collective;
    call.ranks = ranks;
    call.devices = false;
    call.ranks_per_node = std::min(ranks, ranks_per_node);
    call.nodes = (ranks + call.ranks_per_node - 1) / call.ranks_per_node;
    return call;
}

// The first block of the power of two, and each block at which a rule begins or ends.
std::vector<std::uint64_t> smaller_blocks(const policy::Shortlist& shortlist, std::uint64_t first,
                                          std::uint64_t last) {
    std::vector<std::uint64_t> blocks = {first};
    for (const auto& candidate : shortlist.candidates)
        for (const auto bound : {candidate.max_block_bytes.min, candidate.max_block_bytes.max})
            if (bound >= first && bound < last) blocks.push_back(bound);
    return blocks;
}

std::optional<std::size_t> place_of(const policy::Policy& policy, const std::string& rule) {
    for (std::size_t i = 0; i < policy.rules.size(); ++i)
        if (!rule.empty() && policy.rules[i].name == rule) return i;
    return std::nullopt;
}

Covered covered(const policy::Policy& policy, const policy::Shortlist& shortlist, Features call,
                unsigned bits) {
    const std::uint64_t last = std::uint64_t{1} << bits, first = bits == 0 ? 0 : last / 2 + 1;
    const auto with_blocks = [&call](std::uint64_t block) { // all of one size
        call.max_block_bytes = block;
        call.total_bytes = block * static_cast<std::uint64_t>(call.ranks - 1);
    };
    with_blocks(last);
    const auto match = policy::choose(shortlist, call);
    const auto& choice = shortlist.candidates[match.candidate].choice;
    Covered cell{place_of(policy, choice.rule), choice.algorithm->native, match.why != policy::PassedOver::no,
                 false, policy::describe(choice)};
    for (const auto block : smaller_blocks(shortlist, first, last)) {
        with_blocks(block);
        if (policy::choose(shortlist, call).candidate != match.candidate) cell.mixed = true;
    }
    return cell;
}

} // namespace

Coverage coverage_of(const policy::Policy& policy, int ranks_per_node, std::vector<int> ranks,
                     std::vector<unsigned> block_bits, std::optional<policy::Collective> only,
                     policy::Network network) {
    Coverage coverage{ranks_per_node, std::move(ranks), std::move(block_bits), {}};
    for (const auto& collective : algorithms::all_collectives) {
        if (only && *only != collective.collective) continue;
        auto& table = coverage.tables.emplace_back();
        table.collective = collective.collective;
        for (const int count : coverage.ranks) {
            auto call = call_of(table.collective, count, ranks_per_node);
            call.network = network;
            const auto shortlist = policy::all_candidates(policy, call);
            auto& row = table.rows.emplace_back();
            for (const unsigned bits : coverage.block_bits)
                row.push_back(covered(policy, shortlist, call, bits));
        }
    }
    return coverage;
}

std::vector<int> usual_ranks() {
    std::vector<int> ranks;
    for (int count = 2; count <= 8192; count *= 2) ranks.push_back(count);
    return ranks;
}

std::vector<unsigned> usual_block_bits() {
    std::vector<unsigned> bits;
    for (unsigned bit = 0; bit <= 24; ++bit) bits.push_back(bit);
    return bits;
}

} // namespace switchyard::shim::report
