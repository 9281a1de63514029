// Which rank is on which node: any placement, equal or ragged, for algorithms that treat near and far ranks
// differently. The same on all ranks that were given the same list. No MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace switchyard::algorithms {

class NodeMap {
  public:
    // `node_ids`: for each rank a number that ranks on one node share. Nodes get the numbers 0, 1, .. in the
    // order of their first ranks, so that any ids in one placement give the same map.
    explicit NodeMap(std::span<const std::uint64_t> node_ids);
    // Nodes of `ranks_per_node` consecutive ranks, the last one with what is left.
    static NodeMap blocks(int ranks, int ranks_per_node);

    // The regions of that node, by local rank, so that none is on two nodes. `region_ids`: for each rank a
    // number that ranks of one region share and no others of its node have; negative: it is in no single
    // region, and then its node is one.
    NodeMap regions_of(int node, std::span<const int> region_ids) const;

    int ranks() const { return static_cast<int>(node_of_.size()); }
    int nodes() const { return static_cast<int>(begins_.size()) - 1; }
    int largest() const { return largest_; }                        // most ranks on one node
    bool is_equal() const { return nodes() * largest_ == ranks(); } // as many on each

    int node_of(int rank) const { return node_of_[index(rank)]; }
    // Its place among the ranks of its node, from 0: ascending ranks.
    int local_rank(int rank) const { return local_rank_[index(rank)]; }
    int size_of(int node) const { return begins_[index(node) + 1] - begins_[index(node)]; }
    std::span<const int> ranks_of(int node) const {
        return {members_.data() + begins_[index(node)], index(size_of(node))};
    }
    int rank_of(int node, int local_rank) const { return members_[index(begins_[index(node)] + local_rank)]; }
    // How many ranks are on nodes before this one: where its ranks begin when all are sorted by node.
    int begin_of(int node) const { return begins_[index(node)]; }
    bool is_near(int rank, int other) const { return node_of(rank) == node_of(other); }

  private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }

    std::vector<int> node_of_, local_rank_; // by rank
    std::vector<int> begins_;               // by node, of its part of members_; one more at the end
    std::vector<int> members_;              // ranks, sorted by node
    int largest_ = 0;
};

} // namespace switchyard::algorithms
