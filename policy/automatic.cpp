#include "automatic.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

using algorithms::GroupShape;
using algorithms::Parameter;
using algorithms::Parameters;
using algorithms::Traits;

// The smallest base in which `digits` digits write numbers below `numbers`.
std::int64_t base_for(int numbers, int digits) {
    const auto reach = [digits](std::int64_t base) { return digits == 2 ? base * base : base * base * base; };
    std::int64_t base = 2;
    while (reach(base) < numbers) ++base;
    return base;
}

// The largest blocks, in bytes, that travel in three digits and in two. Larger blocks go directly.
struct Borders {
    std::size_t three_digits, two_digits;
};

// TuNA paper, section V.A: a radix near 2 for blocks of up to 512 bytes, near the square root of the ranks up
// to 8 KiB, near the ranks beyond. On polaris, 32 ranks on a node, our model says the same of tuna as
// published (metadata=separate, in_flight=1), but that three digits serve blocks of up to 256 bytes better
// than radix 2 on 512 ranks and more. Where sizes travel with the blocks, messages cost less, and the borders
// are lower. Where rounds of a digit also share a wait, two digits are good down to 16 bytes. By these
// borders tuna takes at most 1.25 of the time of the best radix, one round at a time 1.35, on 128 to 2048
// ranks; on fugaku 1.7. tests/unit/predict_test.cpp checks it.
Borders borders_of(const Traits& traits, const Parameters& parameters) {
    const bool separate =
        traits.takes(Parameter::metadata) &&
        parameters[Parameter::metadata] == static_cast<std::int64_t>(algorithms::Metadata::separate);
    const bool share_waits = traits.takes(Parameter::in_flight) && parameters[Parameter::in_flight] > 1;
    if (share_waits) return {0, separate ? 1024U : 512U};
    return separate ? Borders{256, 8192} : Borders{128, 2048};
}

// Inside a node bundles travel, a block for each node and rank. The same model.
constexpr Borders borders_of_bundles = {0, 8192};

// The borders are for blocks of up to so many bytes, half of it on average.
std::size_t as_largest_of_many(const Traits& traits, std::size_t bytes) {
    return traits_of(traits.collective).has_count_arrays() ? bytes : 2 * bytes;
}

} // namespace

std::int64_t automatic_radix(const Traits& traits, const Parameters& parameters, const GroupShape& shape,
                             const BlockSize& block) {
    const auto& bounds = traits_of(Parameter::radix);
    const int distances = distances_of(traits, shape);
    const std::int64_t largest = maximum_of(bounds, distances);
    // In one hop between nodes node_aware was never slower in the model, at any size up to 512 nodes.
    if (traits.has(algorithms::digits_of_nodes)) return largest;
    // A gather sends the same bytes in any base. In base 4 the model has it within 1.15 of the best time
    // on 128 ranks and more, at every size.
    if (traits_of(traits.collective).sends_one_block()) return std::min<std::int64_t>(4, largest);
    const bool in_node = traits.has(algorithms::digits_in_node);
    const Borders borders = in_node ? borders_of_bundles : borders_of(traits, parameters);
    const std::size_t bytes =
        as_largest_of_many(traits, block.bytes) * static_cast<std::size_t>(in_node ? shape.nodes : 1);
    // A border says little about blocks: most are smaller. At 16 bytes the radix P takes seven times as long
    // as two digits; at 32 KiB two digits take 1.7 of its time.
    if (bytes > borders.two_digits && !block.is_border) return largest;
    return std::clamp(base_for(distances, bytes > borders.three_digits ? 2 : 3), bounds.minimum, largest);
}

// TuNA paper, section V.B: 1024 partners at 16 bytes, 2 at 16 KiB, fewer on more ranks: at 512 bytes 1024,
// 256 and 8 on 4096, 8192 and 16384 ranks. Our model, which knows no congestion, says 8 or more up to 1 KiB,
// and within 5 % the same for any number beyond. The square of 2^26 over ranks and bytes agrees with both.
std::int64_t automatic_block_count(const GroupShape& shape, std::size_t bytes) {
    constexpr std::uint64_t fewest = 2, most = 1024, most_root = 32,
                            bytes_under_way = std::uint64_t{1} << 26U;
    const std::uint64_t all = static_cast<std::uint64_t>(shape.ranks) * std::max<std::uint64_t>(1, bytes);
    const std::uint64_t root = std::min(most_root, bytes_under_way / std::max<std::uint64_t>(1, all));
    return static_cast<std::int64_t>(std::clamp(root * root, fewest, most));
}

bool follows_block(const Traits& traits, const Use& use, bool bounded) {
    const auto given = [&](Parameter parameter) {
        return use.parameters[static_cast<std::size_t>(parameter)];
    };
    const bool is_known = bounded || traits_of(traits.collective).block_is_known() ||
                          (traits.has(algorithms::agreed_block) && !given(Parameter::direct_from));
    return is_known && (given(Parameter::radix) == algorithms::automatic ||
                        given(Parameter::block_count) == algorithms::automatic);
}

} // namespace switchyard::policy
