// Directed graphs that every rank can make a slice of without asking, and what is known of their transitive
// closures. No MPI.
#pragma once

#include "hash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace apps {

struct Edge {
    std::uint32_t from, to;
    auto operator<=>(const Edge&) const = default;
};

inline std::uint64_t word_of(Edge edge) {
    return std::uint64_t{edge.from} << 32 | edge.to;
}

inline Edge edge_of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}

inline constexpr std::array graph_names = {std::string_view{"chain"}, std::string_view{"grid"},
                                           std::string_view{"power_law"}};

struct Graph {
    enum class Kind : std::uint8_t { chain, grid, power_law };
    Kind kind = Kind::grid;
    std::uint32_t size = 20; // vertices of a chain or power-law graph, or the side of a grid
    std::uint64_t seed = 1;  // of a power-law graph

    std::uint64_t vertices() const { return kind == Kind::grid ? std::uint64_t{size} * size : size; }

    // The edges of the vertices from `first` to before `last`, each once, without loops.
    std::vector<Edge> edges(std::uint64_t first, std::uint64_t last) const {
        std::vector<Edge> found;
        for (std::uint64_t vertex = first; vertex < last; ++vertex)
            add_edges(static_cast<std::uint32_t>(vertex), found);
        return found;
    }

    // How many pairs a path joins, by formula where there is one. A chain has a path from each vertex to each
    // later one. A path in a grid is a path along each axis, neither of which goes back, less the n * n pairs
    // of a vertex with itself.
    std::optional<std::uint64_t> closure_size() const {
        const std::uint64_t n = size;
        if (kind == Kind::chain) return n * (n - 1) / 2;
        if (kind == Kind::grid) return (n * (n + 1) / 2) * (n * (n + 1) / 2) - n * n;
        return std::nullopt;
    }

  private:
    void add_edges(std::uint32_t vertex, std::vector<Edge>& to) const {
        switch (kind) {
        case Kind::chain:
            if (vertex + 1 < size) to.push_back({vertex, vertex + 1});
            break;
        case Kind::grid: // to the right and down
            if (vertex % size + 1 < size) to.push_back({vertex, vertex + 1});
            if (vertex / size + 1 < size) to.push_back({vertex, vertex + size});
            break;
        case Kind::power_law: add_power_law_edges(vertex, to); break;
        }
    }

    // Out-degrees have the density x^-2.5 from 1 to the square root of the vertices. Destinations
    // are drawn so that in-degrees have it, too: a few vertices are popular, and most vertices
    // are nobody's destination.
    void add_power_law_edges(std::uint32_t vertex, std::vector<Edge>& to) const {
        const double most = std::sqrt(static_cast<double>(size));
        const double degree = std::min(most, std::pow(drawn(vertex, 0), -1 / 1.5));
        const std::size_t before = to.size();
        for (int i = 1; i <= static_cast<int>(degree); ++i) {
            const double place = std::pow(drawn(vertex, i), 3);
            const Edge edge{vertex, static_cast<std::uint32_t>(place * size)};
            if (edge.to != vertex) to.push_back(edge);
        }
        const auto mine = to.begin() + static_cast<std::ptrdiff_t>(before);
        std::sort(mine, to.end());
        to.erase(std::unique(mine, to.end()), to.end());
    }

    double drawn(std::uint32_t vertex, int number) const { // in (0, 1)
        const std::uint64_t bits = hash(hash(seed + vertex) + static_cast<std::uint64_t>(number));
        return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
    }
};

} // namespace apps
