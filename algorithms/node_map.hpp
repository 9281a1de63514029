// The node of every rank, for algorithms that treat near and far ranks differently. Nodes may differ in size,
// and their ranks may have any numbers. Ranks that get the same list make the same map. No MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace switchyard::algorithms {

class NodeMap {
  public:
    // `node_ids`: a number for each rank. Ranks on one node have the same number. Nodes are numbered 0, 1, ..
    // in the order of their first ranks, so only the placement counts, not the ids.
    explicit NodeMap(std::span<const std::uint64_t> node_ids);
    // Nodes of `ranks_per_node` consecutive ranks. The last node has the rest.
    static NodeMap blocks(int ranks, int ranks_per_node);

    // The regions of that node, by local rank, so no region is on two nodes. `region_ids`: a number for each
    // rank. Ranks of a node with the same number are one region. Negative: the rank is in no single region. A
    // node with such a rank is one region.
    NodeMap regions_of(int node, std::span<const int> region_ids) const;

    int ranks() const { return static_cast<int>(node_of_.size()); }
    int nodes() const { return static_cast<int>(begins_.size()) - 1; }
    int largest() const { return largest_; }                        // most ranks on one node
    int smallest() const { return smallest_; }                      // fewest
    bool is_equal() const { return nodes() * largest_ == ranks(); } // as many on each

    int node_of(int rank) const { return node_of_[index(rank)]; }
    std::span<const int> node_of_each() const { return node_of_; } // by rank
    // The rank's place among the ranks of its node, from 0, by ascending ranks.
    int local_rank(int rank) const { return local_rank_[index(rank)]; }
    int size_of(int node) const { return begins_[index(node) + 1] - begins_[index(node)]; }
    std::span<const int> ranks_of(int node) const {
        return {members_.data() + begins_[index(node)], index(size_of(node))};
    }
    int rank_of(int node, int local_rank) const { return members_[index(begins_[index(node)] + local_rank)]; }
    // The number of ranks on the nodes before this node. Its ranks begin there when all
    // ranks are sorted by node.
    int begin_of(int node) const { return begins_[index(node)]; }
    bool is_near(int rank, int other) const { return node_of(rank) == node_of(other); }

  private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }

    std::vector<int> node_of_, local_rank_; // by rank
    std::vector<int> begins_;  // by node: the first of its ranks in members_; one more at the end
    std::vector<int> members_; // ranks, sorted by node
    int largest_ = 0, smallest_ = 0;
};

} // namespace switchyard::algorithms
