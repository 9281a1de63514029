// A point of measurement: a collective on a shape of communicator with blocks of one size.
#pragma once

#include "policy/features.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace switchyard::shim::tune {

struct Shape {
    policy::Collective collective = policy::Collective::alltoallv;
    int ranks = 1, nodes = 1, ranks_per_node = 1; // ranks_per_node: the most on one node

    auto operator<=>(const Shape&) const = default;
    algorithms::GroupShape of_group() const { return {ranks, nodes, ranks_per_node}; }
    std::string text() const { // `alltoallv of 8 ranks on 1 node`
        return std::string(algorithms::name_of(collective)) + " of " + std::to_string(ranks) + " ranks on " +
               std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
    }
};

struct Point {
    Shape shape;
    std::size_t max_block = 0;            // bytes, as the benchmark is asked for
    std::string distribution = "uniform"; // of block sizes, in the benchmark's words
    double weight = 1;                    // share of the application's time; without a log 1
    std::uint64_t calls = 0;              // of the application on a communicator; 0: not known

    // Without weight and calls: they tell what a point is worth, not which point it is.
    auto operator<=>(const Point& other) const {
        const auto order = shape <=> other.shape;
        if (order != 0) return order;
        const auto size = max_block <=> other.max_block;
        return size != 0 ? size : distribution <=> other.distribution;
    }
    bool operator==(const Point& other) const { return (*this <=> other) == 0; }
    std::string text() const { return shape.text() + ", " + std::to_string(max_block) + " bytes"; }
};

} // namespace switchyard::shim::tune
