// Idea: store and forward; a block `o` ranks from home makes one hop for each non-zero
//   digit of o in base `radix`.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)). `in_flight` rounds
//   of a digit travel together: alpha * sum over digits of ceil(rounds / in_flight), and twice as much with
//   metadata=separate.
// Needs: direct_from, or the largest block, agreed by all ranks (the caller does line
//   1); any number of ranks.
// Departs: the published algorithm is metadata=separate, in_flight=1. Rounds of one digit do not depend on
//   each other, so in_flight of them share a wait. metadata=fused sends sizes and blocks in one message. Its
//   sizes are in the narrowest integer that holds the largest block; it is received into the agreed upper
//   bound (a round whose bound exceeds Wire::limit() is separate); a round of only a direct block has no
//   sizes, since both ends know them. The index array I of line 5 is in the schedule, which also orders the
//   blocks of a message by their way (TunaRound). Line 9 is read as "is z", line 16 as in the text: a block
//   is home when no digit above x is left. The index of T takes floor(log_r o). Each digit may have a radix
//   of its own (patterns/radices.hpp).
// Source: TuNA paper (configurable non-uniform all-to-all), section III, algorithm 1.
#include "algorithms/forwarding/tuna.hpp"

namespace switchyard::algorithms::alltoallv {

std::unique_ptr<Schedule> tuna_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::tuna_schedule(group, parameters);
}

Status tuna(const Exchange& exchange, Context& context) {
    return forwarding::tuna(exchange, context);
}

} // namespace switchyard::algorithms::alltoallv
