// Idea: start stride pairs of a send and a receive, wait for all of them, then start the next stride pairs.
// Cost: as alltoallv's stride_waitall.
// Needs: nothing.
// Departs: as alltoallv's stride_waitall, which it is.
// Source: GPU all-to-allv paper, section 3.1, multi-pair blocking exchange; algorithm 2 in batches.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms {

namespace alltoallv {
Status stride_waitall(const Exchange& exchange, Context& context);
}

namespace alltoall {

Status stride_waitall(const Exchange& exchange, Context& context) {
    return alltoallv::stride_waitall(exchange, context);
}

} // namespace alltoall

} // namespace switchyard::algorithms
