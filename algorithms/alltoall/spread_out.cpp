// Idea: every block straight to its destination, by distance, so that no two ranks start at the same one.
// Cost: P - 1 messages a rank, all under way at once: (P - 1) * (alpha + beta * block).
// Needs: nothing.
// Departs: never more than Wire::largest_batch partners at once, so past 513 ranks it takes several waits.
// Source: two-phase Bruck paper, section 1, spread-out; TuNA paper, section II(d); no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/partners.hpp"
#include "algorithms/patterns/batches.hpp"

namespace switchyard::algorithms::alltoall {

Status spread_out(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, Wire::largest_batch); batch.valid(); batch.advance()) {
        status.keep(exchange_with(batch.first(), batch.last(), exchange, context.wire));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
