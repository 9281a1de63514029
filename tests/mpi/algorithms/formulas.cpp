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

// The shape of one exchange.
struct Shape {
    int ranks;
    std::uint64_t block;
    const Parameters& parameters;

    std::int64_t others() const { return ranks - 1; }
    std::uint64_t direct() const { return static_cast<std::uint64_t>(others()) * block; } // each block once
    std::int64_t batches(std::int64_t size) const { return (others() + size - 1) / size; }
};

std::optional<Traffic> alltoallv_traffic(std::string_view algorithm, const Shape& shape) {
    if (algorithm == "spread_out") {
        return traffic(shape.others(), shape.direct(), shape.batches(Wire::largest_batch));
    }
    if (algorithm == "pairwise") {
        return traffic(shape.others(), shape.direct(), shape.others());
    }
    if (algorithm == "scattered") {
        const std::int64_t limit = Wire::largest_batch;
        return traffic(shape.others(), shape.direct(),
                       shape.batches(std::min(shape.parameters[Parameter::block_count], limit)));
    }
    if (algorithm == "tuna") {
        return tuna_traffic(shape.ranks, shape.block, shape.parameters);
    }
    if (algorithm == "in_place") { // separate buffers: all space is free, so one phase of requests and data
        constexpr std::uint64_t request_bytes = 8;
        const auto requests = static_cast<std::uint64_t>(shape.others()) * request_bytes;
        return traffic(2 * shape.others(), requests + shape.direct(), shape.ranks > 1 ? 2 : 0);
    }
    return std::nullopt;
}

std::optional<Traffic> alltoall_traffic(std::string_view algorithm, const Shape& shape) {
    const Counts binary = counts_of(shape.ranks, 2);
    if (algorithm == "zero_rotation_bruck") {
        return traffic(binary.rounds, static_cast<std::uint64_t>(binary.blocks) * shape.block, binary.rounds);
    }
    return std::nullopt;
}

std::optional<Traffic> allgather_traffic(std::string_view algorithm, const Shape& shape) {
    const Counts binary = counts_of(shape.ranks, 2);
    if (algorithm == "ring") {
        return traffic(shape.others(), shape.direct(), shape.others());
    }
    if (algorithm == "bruck") {
        return traffic(binary.rounds, shape.direct(), binary.rounds);
    }
    return std::nullopt;
}

} // namespace

std::optional<Traffic> expected_traffic(Collective collective, std::string_view algorithm, int ranks,
                                        std::size_t block, const Parameters& parameters) {
    if (block == 0) {
        return Traffic{};
    }
    const Shape shape{ranks, block, parameters};
    switch (collective) {
    case Collective::alltoallv: return alltoallv_traffic(algorithm, shape);
    case Collective::alltoall: return alltoall_traffic(algorithm, shape);
    case Collective::allgather: return allgather_traffic(algorithm, shape);
    }
    return std::nullopt;
}

} // namespace switchyard::tests
