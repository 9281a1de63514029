// Idea: every rank writes its block once into memory that the node shares. All others copy it from there.
// Cost: no message; P copies of a block on each rank. In each epoch every rank waits once for all others. An
//   exchange takes one epoch where the block fits into half of a rank's section, else several.
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
