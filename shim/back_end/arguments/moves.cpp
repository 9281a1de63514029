#include "moves.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// `bytes_of(i)`: of the block for rank i.
template <typename BytesOf>
Moves moves_of_blocks(int blocks, int own, const BytesOf& bytes_of) {
    Moves moves;
    for (int i = 0; i < blocks; ++i) {
        const std::uint64_t bytes = bytes_of(i);
        if (i == own)
            moves.own_bytes = bytes;
        else
            ++(bytes > 0 ? moves.partners : moves.empty_blocks);
    }
    return moves;
}

std::uint64_t item_of(MPI_Datatype type) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(size_of(type), 0));
}

// Several blocks for one neighbour count as several partners.
Moves moves_among_neighbors(const CallArgs& call, const Peers& peers) {
    Moves moves;
    const auto item = item_of(call.send.type);
    for (int i = 0; i < peers.sent; ++i) {
        if (!is_for_somebody(peers.destinations, i)) continue;
        const auto bytes = static_cast<std::uint64_t>(call.send.counts[i]) * item;
        if (peers.destinations[i] == peers.rank)
            moves.own_bytes += bytes;
        else
            ++(bytes > 0 ? moves.partners : moves.empty_blocks);
    }
    return moves;
}

} // namespace

Moves moves_of(const CallArgs& call, const Peers& peers, const CallTypes& types) {
    if (peers.are_neighbors) return moves_among_neighbors(call, peers);
    const int blocks = peers.sent, own = peers.own;
    const auto& side = call.outgoing();
    const auto items = [&](int i) { return static_cast<std::uint64_t>(side.counts[i]); };
    if (side.types != nullptr)
        return moves_of_blocks(
            blocks, own, [&](int i) { return items(i) == 0 ? 0 : items(i) * types.outgoing(call)[i].size; });
    const auto item = item_of(side.type);
    // In place a rank's one block for everybody has the number of the rank among the received blocks.
    const bool sends_one = algorithms::traits_of(call.collective).sends_one_block();
    if (sends_one && side.counts.is_array())
        return moves_of_blocks(blocks, own, [&](int) { return own < 0 ? 0 : items(own) * item; });
    return moves_of_blocks(blocks, own, [&](int i) { return items(i) * item; });
}

} // namespace switchyard::shim
