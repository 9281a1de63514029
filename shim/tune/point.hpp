// What is measured at: one collective on one shape of communicator with blocks of one size.
#pragma once

#include "policy/features.hpp"

#include <cstddef>
#include <string>

namespace switchyard::shim::tune {

struct Shape {
    policy::Collective collective = policy::Collective::alltoallv;
    int ranks = 1, nodes = 1, ranks_per_node = 1; // the most of them on one node

    auto operator<=>(const Shape&) const = default;
    std::string text() const { // `alltoallv of 8 ranks on 1 node`
        return std::string(algorithms::name_of(collective)) + " of " + std::to_string(ranks) + " ranks on " +
               std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
    }
};

struct Point {
    Shape shape;
    std::size_t max_block = 0;            // bytes, what the benchmark is asked for
    std::string distribution = "uniform"; // of alltoallv's blocks, in the benchmark's words; else "equal"
    double weight = 1;                    // share of the application's time, or 1 for each

    // The weight says what a point is worth, not which it is.
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
