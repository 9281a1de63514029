// Idea: sends every block directly to its destination, by distance, so that no two ranks start
//   with the same destination.
// Cost: P - 1 messages for each rank, all under way at once: (P - 1) * (alpha + beta * block).
// Needs: nothing.
// Departs: at most Wire::batch() partners at once, so more than 513 ranks take several waits.
// Source: two-phase Bruck paper, section 1, spread-out; TuNA paper, section II(d); no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/partners.hpp"

namespace switchyard::algorithms::alltoall {

Status spread_out(const Exchange& exchange, Context& context) {
    return exchange_in_batches(context.wire.batch(), exchange, context.wire);
}

} // namespace switchyard::algorithms::alltoall
