// Idea: stride pairs of a send and a receive, wait for all of them, then the next stride pairs.
// Cost: P - 1 messages a rank in ceil((P - 1) / stride) waits: alpha * (P - 1) + beta * (bytes sent).
// Needs: nothing; stride of P - 1 or more is the paper's algorithm 2.
// Departs: batches are capped at Wire::largest_batch. Apart from the order in which a batch is started (pair
//   by pair here, all receives first there) and the default this is `scattered`: same batches, same messages.
// Source: GPU all-to-allv paper, section 3.1, multi-pair blocking exchange; algorithm 2 in batches.
#include "multi_pair.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/batches.hpp"

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
