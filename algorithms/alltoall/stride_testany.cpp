// Idea: stride pairs of a send and a receive are under way. The rank tests them again and again, and starts
//   the next pair as soon as one is over.
// Cost: as alltoallv's stride_testany.
// Needs: nothing.
// Departs: as alltoallv's stride_testany, which it is.
// Source: GPU all-to-allv paper, section 3.1, multi-pair test exchange; no numbered algorithm.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms {

namespace alltoallv {
Status stride_testany(const Exchange& exchange, Context& context);
}

namespace alltoall {

Status stride_testany(const Exchange& exchange, Context& context) {
    return alltoallv::stride_testany(exchange, context);
}

} // namespace alltoall

} // namespace switchyard::algorithms
