// Idea: alltoallv's tuna for equal blocks: store and forward in digits of a tunable radix, without sizes.
// Cost: as alltoallv's tuna. The messages have blocks alone.
// Needs: memory that the processor can copy; any number of ranks.
// Departs: parameterized_bruck is the same exchange with one round after the other. Here in_flight rounds of a
//   digit share a wait.
// Source: TuNA paper, section III, algorithm 1.
#include "algorithms/forwarding/tuna.hpp"

namespace switchyard::algorithms::alltoall {

std::unique_ptr<Schedule> tuna_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::tuna_schedule(group, parameters);
}

Status tuna(const Exchange& exchange, Context& context) {
    return forwarding::tuna_of_equal_blocks(exchange, context);
}

} // namespace switchyard::algorithms::alltoall
