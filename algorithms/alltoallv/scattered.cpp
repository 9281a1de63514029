// Idea: spread_out in batches of block_count partners, so that the network does not fill up.
// Cost: P - 1 messages for each rank in ceil((P - 1) / block_count) waits: alpha * (P -
//   1) + beta * (bytes sent).
// Needs: nothing. A block_count of P - 1 or more is spread_out.
// Departs: batches are capped at Wire::batch(), like those of spread_out.
// Source: TuNA paper, section II(d), scattered; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/partners.hpp"

#include <algorithm>

namespace switchyard::algorithms::alltoallv {

Status scattered(const Exchange& exchange, Context& context) {
    const auto block_count =
        std::min<std::int64_t>(context.parameters[Parameter::block_count], context.wire.batch());
    return exchange_in_batches(block_count, exchange, context.wire);
}

} // namespace switchyard::algorithms::alltoallv
