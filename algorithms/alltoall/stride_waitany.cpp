// Idea: stride pairs of a send and a receive are under way. The next one starts as soon as any is over, so
//   a late rank holds up only its own pairs.
// Cost: as alltoallv's stride_waitany.
// Needs: nothing.
// Departs: as alltoallv's stride_waitany, which it is.
// Source: GPU all-to-allv paper, section 3.1, multi-pair non-blocking exchange; no numbered algorithm.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms {

namespace alltoallv {
Status stride_waitany(const Exchange& exchange, Context& context);
}

namespace alltoall {

Status stride_waitany(const Exchange& exchange, Context& context) {
    return alltoallv::stride_waitany(exchange, context);
}

} // namespace alltoall

} // namespace switchyard::algorithms
