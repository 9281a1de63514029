// Idea: every rank writes its block once into memory that the node shares. All other ranks copy it from
//   there. A rank copies its own block to its place after it has written it for the other ranks, so the
//   caches still have it.
// Cost: no message; P copies of a block on each rank. Every rank waits once for all other ranks. Bytes that
//   do not fit into a third of their sender's section go in a stream to all, where readers and writer wait
//   only for each other; or all ranks read them where they lie.
// Needs: all ranks on one node, and a window of the node.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/memory/node_window.hpp"

namespace switchyard::algorithms::allgather {

namespace {

// All ranks are on one node, so a rank has the same number there.
struct ReceivedBlocks {
    const Exchange& exchange;
    std::size_t size(int rank) const { return exchange.recv_size(rank); }
    std::byte* at(int rank) const { return exchange.recv_from(rank); }
};

} // namespace

Status shared(const Exchange& exchange, Context& context) {
    return context.window->allgather({exchange.send_to(0), exchange.send_size(0)}, ReceivedBlocks{exchange});
}

} // namespace switchyard::algorithms::allgather
