// Idea: start stride pairs of a send and a receive, wait for all of them, then start the next stride pairs.
// Cost: P - 1 messages for each rank in ceil((P - 1) / stride) waits: alpha * (P - 1) + beta * (bytes sent).
// Needs: nothing. A stride of P - 1 or more is the paper's algorithm 2.
// Departs: batches are capped at Wire::batch(). `scattered` has the same batches and
//   messages; it starts all receives of a batch first, while this algorithm starts pair after pair,
//   and its default differs.
// Source: GPU all-to-allv paper, section 3.1, multi-pair blocking exchange; algorithm 2 in batches.
#include "algorithms/patterns/batches.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "multi_pair.hpp"

namespace switchyard::algorithms::alltoallv {

Status stride_waitall(const Exchange& exchange, Context& context) {
    Wire& wire = context.wire;
    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, stride_of(context)); batch.valid(); batch.advance()) {
        for (int i = batch.first(); i < batch.last(); ++i) {
            start_send(i, exchange, wire);
            start_receive(i, exchange, wire);
        }
        status.keep(wire.wait_all());
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
