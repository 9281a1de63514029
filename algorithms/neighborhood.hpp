// The neighbours of a rank, on a communicator with a topology (MPI-4.0, chapter 8). Block i of a neighbourhood
// collective goes to destination i, or comes from source i. No MPI.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace switchyard::algorithms {

// A block from one rank to another. Two ranks may have several: the occurrence says which, from 0.
struct Edge {
    int source, destination, occurrence;
};

class Neighborhood {
  public:
    // Beyond the border of a Cartesian topology: a block for nobody, or from nobody.
    static constexpr int nobody = -1;

    // A block of this rank: sent to `rank`, or received from it. Number `occurrence` of those with this rank.
    struct Neighbor {
        int rank, occurrence, block;
    };
    // A block for this rank itself: its number on the send side and on the receive side.
    struct OwnBlock {
        int sent, received;
    };

    // `destinations`, `sources`: ranks, or nobody. `occurrences`, by source: number of the block that arrives
    // here, among the blocks that the source sends to this rank, in the order of its destinations. Where a
    // rank has several blocks for another, MPI libraries deliver them in different orders. Empty: in the
    // order of the sources.
    Neighborhood(int rank, int ranks, std::vector<int> destinations, std::vector<int> sources,
                 std::span<const int> occurrences = {});

    std::span<const int> destinations() const { return destinations_; }
    std::span<const int> sources() const { return sources_; }

    // Other ranks, nearest first: destinations up the ring, sources down the ring. So all ranks have the
    // edges of one distance in the same place of their order.
    std::span<const Neighbor> sent() const { return sent_; }
    std::span<const Neighbor> received() const { return received_; }
    std::span<const OwnBlock> own() const { return own_; }

    // The number of the block on this rank's send side or receive side. The edge must be there.
    int block_of_sent(int destination, int occurrence) const;
    int block_of_received(int source, int occurrence) const;

    // Most edges from this rank to one rank, and most from one rank to this rank.
    int most_repeated() const { return most_repeated_; }

    // ---- What follows from the neighbours of all ranks ----

    // The most edges from one rank to another, and all edges, of all ranks.
    int most_repeated_of_all = 1;
    std::size_t edges_of_all = 0;
    // The edges from the ranks of this node to other nodes, sorted by node, source, destination, occurrence;
    // and the edges from other nodes to the ranks of this node, sorted likewise. So both nodes have the edges
    // between them in the same order. Empty where they are not known: no algorithm asks for them, or there are
    // too many in the graph.
    bool knows_edges = false;
    std::vector<Edge> leaving, arriving;

  private:
    int most_repeated_ = 1; // before the lists, which are counted while they are made
    std::vector<int> destinations_, sources_;
    std::vector<Neighbor> sent_, received_;
    std::vector<OwnBlock> own_;
};

} // namespace switchyard::algorithms
