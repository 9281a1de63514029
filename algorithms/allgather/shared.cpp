// Idea: every rank writes its block once into memory that the node shares. All others copy it from there. A rank copies
//   a piece of its own block to its place right after it wrote the piece, so the caches still have it.
// Cost: no message; P copies of a block on each rank. Every rank waits once for all others. What does not fit into half
//   of its sender's section goes in a stream to all, where readers and writer wait for each other alone.
// Needs: all ranks on one node, and a window of the node.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/algorithm.hpp"
#include "algorithms/node_window_exchange.hpp"

namespace switchyard::algorithms::allgather {

Status shared(const Exchange& exchange, Context& context) {
    const int self = exchange.group.rank;
    const Block own = exchange.send.front();
    const std::byte* const sent = exchange.send_base + own.offset;
    std::byte* const place = exchange.recv_from(self);
    return context.window->gather(
        [&](int source, auto&& add) {
            if (source == self)
                add(Part{const_cast<std::byte*>(sent), own.size}); // it is only read
            else
                add(Part{exchange.recv_from(source), exchange.recv_size(source)});
        },
        [&](Block piece, bool past_caches) {
            if (sent != place)
                copy_arriving(place + piece.offset, sent + piece.offset, piece.size, past_caches);
        });
}

} // namespace switchyard::algorithms::allgather
