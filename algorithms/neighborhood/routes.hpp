// The ways of small blocks between nodes: which rank carries them, in which messages, in which order. Each rank
// computes its part from the edges between its node and other nodes, so both sides of a message agree.
//
//   a block of rank s on node A for rank d on node B
//     s  --(with all of s's blocks for nodes that the carrier serves)-->  carrier of A for B
//     carrier of A for B  --(with all blocks from A to B)-->  carrier of B for A
//     carrier of B for A  --(with all blocks for d that this carrier got)-->  d
//
// A message has its blocks in chunks: the sizes of a chunk's blocks, 4 bytes each, then their bytes.
#pragma once

#include "algorithms/group.hpp"
#include "algorithms/neighborhood.hpp"
#include "algorithms/node_map.hpp"

#include <cstddef>
#include <vector>

namespace switchyard::algorithms::neighborhood {

// What this rank hands to a carrier of its node: for each node that the carrier serves a chunk.
struct Collected {
    int carrier;
    std::vector<std::vector<int>> chunks; // block numbers of the send side
    int blocks = 0;                       // in all chunks
};

// A chunk of a source rank: its blocks for one node.
struct SourceChunk {
    int source; // the number of its message to this carrier, or `own`
    int blocks;
    static constexpr int own = -1;
};

// What this rank carries to another node, as the carrier of its own.
struct Carried {
    int to; // the other node's carrier
    std::vector<SourceChunk> chunks;
    int blocks = 0;
};

// The end of a block's way that came over the network: a place in the message to a rank of this node, or on
// this rank's receive side.
struct Delivery {
    int message; // the number of the message, or `own`
    int block;   // its place among the message's blocks, or its number on the receive side
    static constexpr int own = -1;
};

// What this rank gets from another node, as the carrier of its own: for each block its deliveries.
struct Arrived {
    int from;                    // the other node's carrier
    std::vector<int> chunks;     // blocks in each chunk, one chunk for each source
    std::vector<int> deliveries; // by block, how many
    int blocks = 0;
};

// What a carrier of this node hands to this rank, or this rank to another: a single chunk.
struct Distributed {
    int with;                // the other rank
    std::vector<int> blocks; // to this rank: numbers of the receive side
    int number = 0;          // of blocks
};

// A message from a rank of this node to this carrier.
struct FromSource {
    int source;
    int blocks = 0;
};

struct Routes {
    // `copies`: a block goes to all of its source's neighbours on a node.
    Routes(const Group& group, bool copies);

    std::vector<Collected> collected;
    std::vector<int> own_chunks; // this rank's blocks that it carries itself: block numbers, chunk by chunk
    std::vector<FromSource> from_sources;
    std::vector<Carried> carried;
    std::vector<Arrived> arrived;
    std::vector<Delivery> deliveries; // of all that arrives, block by block
    std::vector<Distributed> to_ranks, from_carriers;
};

} // namespace switchyard::algorithms::neighborhood
