// Idea: spread out, in batches of block_count partners, to keep the network from filling up.
// Cost: P - 1 messages a rank in ceil((P - 1) / block_count) waits: alpha * (P - 1) + beta * (bytes sent).
// Needs: nothing; block_count of P - 1 or more is spread out.
// Departs: batches are capped at Wire::largest_batch, like those of spread out.
// Source: TuNA paper, section II(d), scattered; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/partners.hpp"
#include "algorithms/patterns/batches.hpp"

#include <algorithm>
#include <cstdint>

namespace switchyard::algorithms::alltoallv {

Status scattered(const Exchange& exchange, Context& context) {
    const auto block_count =
        std::min<std::int64_t>(context.parameters[Parameter::block_count], Wire::largest_batch);

    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, block_count); batch.valid(); batch.advance()) {
        status.keep(exchange_with(batch.first(), batch.last(), exchange, context.wire));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
