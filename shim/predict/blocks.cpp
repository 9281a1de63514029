#include "blocks.hpp"

#include <algorithm>

namespace switchyard::shim::predict {

namespace {

constexpr std::uint64_t seed = 1; // the benchmark's
constexpr std::size_t most_sizes = std::size_t{1} << 18;

// Evenly spaced sources, the first and the last rank among them.
std::vector<int> sources_of(int ranks) {
    const auto all = static_cast<std::size_t>(ranks);
    const std::size_t count = std::clamp<std::size_t>(most_sizes / all, 2, all);
    std::vector<int> sources;
    for (std::size_t i = 0; i < count; ++i) sources.push_back(static_cast<int>(i * (all - 1) / (count - 1)));
    return sources;
}

} // namespace

Blocks::Blocks(const bench::Distribution& distribution, int ranks, std::size_t largest) {
    const bench::Sizes sizes(distribution, seed, ranks, largest);
    for (const int source : sources_of(ranks)) {
        sizes_.push_back(sizes.sent_by(source));
        sizes_.back().erase(sizes_.back().begin() + source);
    }
    all_ = facts_of([](double) { return true; });
}

template <typename Counts>
BlockFacts Blocks::facts_of(Counts&& counts) const {
    BlockFacts facts;
    facts.some = 0;
    double all = 0;
    for (const auto& sent : sizes_) {
        double bytes = 0, some = 0;
        for (const std::size_t size : sent) {
            const auto block = static_cast<double>(size);
            if (block == 0 || !counts(block)) continue;
            bytes += block;
            some += 1;
            facts.largest = std::max(facts.largest, block);
        }
        const auto count = static_cast<double>(sent.size());
        all += bytes / count;
        facts.busiest = std::max(facts.busiest, bytes / count);
        facts.some = std::max(facts.some, some / count);
    }
    facts.mean = all / static_cast<double>(sizes_.size());
    return facts;
}

BlockFacts Blocks::below(double border) const {
    return facts_of([border](double block) { return block < border; });
}

BlockFacts Blocks::from(double border) const {
    return facts_of([border](double block) { return block >= border; });
}

} // namespace switchyard::shim::predict
