// Idea: blocks padded to the largest block are uniform, and the MPI library's own
//   uniform exchange may be fast.
// Cost: the cost of MPI_Alltoall with blocks of N bytes, N the largest block: at least beta * (P - 1) * N.
// Needs: the largest block, agreed by all ranks; any number of ranks.
// Departs: the uniform exchange is MPI_Alltoall, the paper's is Bruck's. The own block is not
//   padded. Padding is not cleared.
// Source: two-phase Bruck paper, section 3.1, phases (a) and (c); no numbered algorithm.
#include "algorithms/transport/messages/wire.hpp"
#include "padded.hpp"

namespace switchyard::algorithms::alltoallv {

Status padded_alltoall(const Exchange& exchange, Context& context) {
    const auto scratch =
        padded_alltoall_scratch_bytes(exchange.group.size, exchange.max_block, context.parameters);
    return exchange_padded(exchange, context, scratch, [&](const std::byte* padded, std::byte* received) {
        return context.wire.alltoall(padded, received, exchange.max_block);
    });
}

} // namespace switchyard::algorithms::alltoallv
