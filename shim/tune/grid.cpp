#include "grid.hpp"

#include "shim/bench/distributions.hpp"

#include <algorithm>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

Shape first_of(const Shape& world, int ranks) {
    if (ranks < 2 || ranks > world.ranks)
        throw std::runtime_error("--ranks " + std::to_string(ranks) + ": the launcher starts " +
                                 std::to_string(world.ranks) + " ranks; a communicator can have 2 to " +
                                 std::to_string(world.ranks));
    Shape shape = world;
    shape.ranks = ranks;
    shape.ranks_per_node = std::min(world.ranks_per_node, ranks);
    shape.nodes = (ranks + shape.ranks_per_node - 1) / shape.ranks_per_node;
    return shape;
}

} // namespace

std::vector<Point> grid_of(const GridRequest& request, const Shape& world) {
    auto collectives = request.collectives;
    if (collectives.empty())
        for (const auto& traits : algorithms::dense_collectives) collectives.push_back(traits.collective);
    auto blocks = request.blocks;
    if (blocks.empty()) blocks = {8, 64, 512, 4096, 32768};
    std::vector<int> ranks = request.ranks;
    if (ranks.empty()) ranks = {world.ranks};
    std::vector<Point> points;
    for (const auto collective : collectives)
        for (const int number : ranks)
            for (const std::size_t block : blocks) {
                Point point;
                point.shape = number == world.ranks ? world : first_of(world, number);
                point.shape.collective = collective;
                point.max_block = block;
                if (!traits_of(collective).has_count_arrays())
                    point.distribution = "equal";
                else if (!request.distribution.empty())
                    point.distribution = request.distribution;
                if (std::ranges::find(points, point) == points.end()) points.push_back(point);
            }
    return points;
}

std::vector<std::string> distribution_names() {
    return {bench::distribution_names.begin(), bench::distribution_names.end()};
}

} // namespace switchyard::shim::tune
