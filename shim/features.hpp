// The facts of one call: measured here, agreed with the other ranks where a rule looks at them.
#pragma once

#include "call.hpp"
#include "comm_state.hpp"

#include <cstddef>

namespace switchyard::shim {

// What this rank's arguments say. Nothing that is not significant is looked at.
struct Measure {
    bool valid = false;        // false: MPI will not like these arguments, and should be the one to say so
    std::size_t max_block = 0; // largest block for another rank, in bytes
    std::size_t sent = 0;      // to all other ranks, in bytes
};
Measure measure(const CallArgs& call, const CommState& state);

// The counted allreduce of the call: the largest block over all ranks, whether every rank has what it needs,
// and whether any has buffers that overlap.
struct Agreement {
    std::size_t max_block = 0;
    bool all_ready = true;
    bool overlapping = false;
    int code = MPI_SUCCESS; // of the allreduce itself
};
Agreement agree(const Measure& measure, bool ready, bool overlapping, const Rails& rails);

} // namespace switchyard::shim
