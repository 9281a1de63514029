// The facts of one call: measured here, agreed with the other ranks where a rule looks at them.
#pragma once

#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/communicator/comm_state.hpp"

#include <cstddef>

namespace switchyard::shim {

// What this rank's arguments say. Nothing that is not significant is looked at.
struct Measure {
    bool valid = false;        // false: MPI will not like these arguments, and should be the one to say so
    std::size_t max_block = 0; // largest block for another rank, in bytes
    std::size_t sent = 0;      // to all other ranks, in bytes
};
Measure measure(const CallArgs& call, const CommState& state);

// What a rank tells the others of a call, and what then holds for all of them: the largest of each. Of devices
// nobody talks where no process can have any.
struct Facts {
    std::size_t max_block = 0;
    bool not_ready = false;   // has no memory for packing
    bool overlapping = false; // has buffers that overlap
    bool has_driver = false;  // there can be device memory in its process
    bool on_device = false;   // has a device buffer
    bool unaware = false;     // has one, and its MPI does not take it
    bool unusable = false;    // has a buffer that nobody can read
    std::size_t staging_bytes = 0;
    std::uint64_t owed = 0; // what a call before took, where that is still to be told: adaptive::Book
};
// What they may talk about beyond what every agreement is about; the same on all ranks.
struct About {
    bool devices = false, times = false;
};
// The counted allreduce of the call; an MPI error code. What was not talked about is as if nobody had device
// memory, nor an MPI that takes it.
int agree(Facts& facts, About about, const Rails& rails);

} // namespace switchyard::shim
