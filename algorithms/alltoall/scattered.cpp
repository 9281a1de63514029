// Idea: spread_out in batches of block_count partners, so that the network does not fill up.
// Cost: as alltoallv's scattered.
// Needs: nothing.
// Departs: as alltoallv's scattered, which it is.
// Source: TuNA paper, section II(d), scattered; no numbered algorithm.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms {

namespace alltoallv {
Status scattered(const Exchange& exchange, Context& context);
}

namespace alltoall {

Status scattered(const Exchange& exchange, Context& context) {
    return alltoallv::scattered(exchange, context);
}

} // namespace alltoall

} // namespace switchyard::algorithms
