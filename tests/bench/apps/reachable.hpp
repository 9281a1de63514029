// The transitive closure by breadth-first search from each vertex: what the program that joins
// relations must find. No MPI.
#pragma once

#include "graphs.hpp"

namespace apps {

// Of the vertices that a part of the sources reaches.
struct Reachable {
    std::uint64_t pairs = 0;
    std::uint64_t digest = 0;   // sum of the hashes of the pairs
    std::uint64_t farthest = 0; // edges of the longest of all shortest paths
};

class Search {
  public:
    explicit Search(const Graph& graph)
        : edges_(graph.edges(0, graph.vertices())), first_(graph.vertices() + 1), seen_by_(graph.vertices()) {
        for (const Edge& edge : edges_) ++first_[edge.from + 1];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    }

    // Adds what one source reaches by at least one edge: itself only along a cycle.
    void add(std::uint32_t source, Reachable& to) {
        std::vector<std::uint32_t> level{source}, next;
        for (std::uint64_t distance = 1; !level.empty(); ++distance) {
            next.clear();
            for (const std::uint32_t vertex : level) visit_neighbours(source, vertex, next, to);
            if (!next.empty()) to.farthest = std::max(to.farthest, distance);
            level.swap(next);
        }
    }

  private:
    void visit_neighbours(std::uint32_t source, std::uint32_t vertex, std::vector<std::uint32_t>& next,
                          Reachable& to) {
        for (std::size_t i = first_[vertex]; i < first_[vertex + 1]; ++i) {
            const std::uint32_t neighbour = edges_[i].to;
            if (seen_by_[neighbour] == source + std::uint64_t{1}) continue;
            seen_by_[neighbour] = source + std::uint64_t{1};
            next.push_back(neighbour);
            ++to.pairs;
            to.digest += hash(word_of({source, neighbour}));
        }
    }

    std::vector<Edge> edges_; // by their first vertex
    std::vector<std::size_t> first_;
    std::vector<std::uint64_t> seen_by_; // the source, plus one
};

} // namespace apps
