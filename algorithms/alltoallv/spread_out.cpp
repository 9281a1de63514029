// Idea: every block straight to its destination, by distance, so that no two ranks start at the same one.
// Cost: P - 1 messages a rank, all under way at once: alpha * (P - 1) + beta * (bytes sent).
// Needs: nothing.
// Departs: never more than Wire::largest_batch partners at once, so past 513 ranks it takes several waits.
// Source: TuNA paper, section II(d), spread-out; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/partners.hpp"
#include "algorithms/patterns/batches.hpp"

namespace switchyard::algorithms::alltoallv {

Status spread_out(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, Wire::largest_batch); batch.valid(); batch.advance()) {
        status.keep(exchange_with(batch.first(), batch.last(), exchange, context.wire));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
