// Idea: every rank writes its block once into memory that the node shares, and all others copy it from there.
// Cost: no message; P copies of a block on each rank, and one wait of all for all in each epoch: as many as
//   half a rank's section holds its block in, mostly one.
// Needs: all ranks on one node, and a window of it.
// Departs: our own.
// Source: our own; the papers' intra-node phases are of messages.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"

namespace switchyard::algorithms::allgather {

Status shared(const Exchange& exchange, Context& context) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    return context.window->gather([&](int source, auto&& add) {
        add(Part{exchange.recv_from(source), exchange.recv_size(source)});
    });
}

} // namespace switchyard::algorithms::allgather
