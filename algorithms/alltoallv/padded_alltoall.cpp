// Idea: blocks padded to the largest one are uniform, and the MPI library's own uniform exchange may be fast.
// Cost: that of MPI_Alltoall with blocks of N, the largest block: beta * (P - 1) * N at least.
// Needs: the largest block, agreed by all ranks; any number of ranks.
// Departs: the uniform exchange is MPI_Alltoall where the paper has Bruck's. The own block is not padded.
//   Padding is not cleared.
// Source: two-phase Bruck paper, section 3.1, phases (a) and (c); no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "padded.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoallv {

Status padded_alltoall(const Exchange& exchange, Context& context) {
    const int ranks = exchange.group.size;
    const std::size_t scratch =
        patterns::padded_alltoall_scratch_bytes(ranks, exchange.max_block, context.parameters);
    if (scratch == 0) { // nothing travels, as all ranks know
        return copy_own_block(exchange);
    }
    if (!context.workspace.has(scratch)) {
        return {MPI_ERR_NO_MEM};
    }
    const std::size_t padded_bytes = patterns::padded_bytes(ranks, exchange.max_block);
    std::byte* const padded = context.workspace.take(padded_bytes).data();
    std::byte* const received = context.workspace.take(padded_bytes).data();

    Status status = copy_own_block(exchange);
    pad(exchange, padded);
    const Status exchanged = context.wire.alltoall(padded, received, exchange.max_block);
    status.keep(exchanged);
    if (exchanged.ok()) {
        scan(exchange, received);
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
