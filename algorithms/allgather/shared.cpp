// Idea: every rank writes its block once into memory that the node shares. All others copy it from there.
// Cost: no message; P copies of a block on each rank. Every rank waits once for all others. What does not fit into half
//   of its sender's section goes in a stream to all, where readers and writer wait for each other alone.
// Needs: all ranks on one node, and a window of the node.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/algorithm.hpp"
#include "algorithms/node_window_exchange.hpp"

namespace switchyard::algorithms::allgather {

Status shared(const Exchange& exchange, Context& context) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    return context.window->gather([&](int source, auto&& add) {
        add(Part{exchange.recv_from(source), exchange.recv_size(source)});
    });
}

} // namespace switchyard::algorithms::allgather
