#include "tests/mpi/algorithms/formulas.hpp"

#include <algorithm>

namespace switchyard::tests {

using namespace algorithms;

namespace {

Traffic traffic(std::int64_t messages, std::uint64_t bytes, std::int64_t rounds) {
    return {static_cast<std::uint64_t>(messages), bytes, static_cast<std::uint32_t>(rounds)};
}

// The papers' counts of a Bruck exchange in base r: K rounds, D blocks, and how many rounds have one block
// only.
struct Counts {
    std::int64_t rounds = 0, blocks = 0, single = 0;
};

Counts counts_of(std::int64_t ranks, std::int64_t radix) {
    Counts counts;
    for (std::int64_t weight = 1; weight < ranks; weight *= radix) {
        for (std::int64_t z = 1; z < radix && z * weight < ranks; ++z) {
            std::int64_t n = 0;
            for (std::int64_t i = 1; i < ranks; ++i) {
                n += i / weight % radix == z ? 1 : 0;
            }
            ++counts.rounds;
            counts.blocks += n;
            counts.single += n == 1 ? 1 : 0;
        }
    }
    return counts;
}

Traffic tuna_traffic(int ranks, std::uint64_t block, const Parameters& parameters) {
    constexpr std::uint64_t size_bytes = 4;
    const Counts counts = counts_of(ranks, parameters[Parameter::radix]);
    const auto data = static_cast<std::uint64_t>(counts.blocks) * block;
    if (parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::separate)) {
        return traffic(2 * counts.rounds, data + static_cast<std::uint64_t>(counts.blocks) * size_bytes,
                       2 * counts.rounds);
    }
    const auto with_sizes = static_cast<std::uint64_t>(counts.blocks - counts.single);
    return traffic(counts.rounds, data + with_sizes * size_bytes, counts.rounds);
}

} // namespace

std::optional<Traffic> expected_traffic(Collective collective, std::string_view algorithm, int ranks,
                                        std::size_t block, const Parameters& parameters) {
    if (block == 0) {
        return Traffic{};
    }
    const std::int64_t others = ranks - 1;
    const std::uint64_t direct = static_cast<std::uint64_t>(others) * block;
    auto batches = [&](std::int64_t size) { return (others + size - 1) / size; };
    if (algorithm == "spread_out" && collective != Collective::allgather) {
        return traffic(others, direct, batches(Wire::largest_batch));
    }
    if (algorithm == "pairwise" || algorithm == "ring") {
        return traffic(others, direct, others);
    }
    if (algorithm == "scattered") {
        const std::int64_t limit = Wire::largest_batch;
        return traffic(others, direct, batches(std::min(parameters[Parameter::block_count], limit)));
    }
    if (algorithm == "tuna") {
        return tuna_traffic(ranks, block, parameters);
    }
    const Counts binary = counts_of(ranks, 2);
    if (algorithm == "zero_rotation_bruck") {
        return traffic(binary.rounds, static_cast<std::uint64_t>(binary.blocks) * block, binary.rounds);
    }
    if (algorithm == "bruck" && collective == Collective::allgather) {
        return traffic(binary.rounds, direct, binary.rounds);
    }
    return std::nullopt;
}

} // namespace switchyard::tests
