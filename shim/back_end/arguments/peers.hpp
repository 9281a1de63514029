// The other ends of a call's blocks.
#pragma once

#include "algorithms/neighborhood.hpp"

namespace switchyard::shim {

struct Peers {
    int sent, received; // blocks of each side, as counts and displacements have them
    int own;            // the number of this rank's own block; -1: it has none, or is among neighbours
    bool are_neighbors = false;
    int rank = 0; // this rank, among neighbours
    // Among neighbours: the rank of each block, or Neighborhood::nobody. Null: block i belongs to rank i.
    const int *destinations = nullptr, *sources = nullptr;

    static Peers all(int ranks, int own) { return {ranks, ranks, own}; }
    static Peers of(const algorithms::Neighborhood& neighbors, int rank) {
        Peers peers{static_cast<int>(neighbors.destinations().size()),
                    static_cast<int>(neighbors.sources().size()), -1};
        peers.are_neighbors = true;
        peers.rank = rank;
        peers.destinations = neighbors.destinations().data();
        peers.sources = neighbors.sources().data();
        return peers;
    }
};

// Whether block i of a side has another end. `ranks`: Peers::destinations or sources.
inline bool is_for_somebody(const int* ranks, int i) {
    return ranks == nullptr || ranks[i] != algorithms::Neighborhood::nobody;
}

} // namespace switchyard::shim
