// TuNA and Bruck's exchange, which several plans run.
#pragma once

#include "plan.hpp"

#include "algorithms/patterns/radices.hpp"

#include <cstdint>

namespace switchyard::shim::predict {

// An exchange of TuNA: store and forward in digits of a radix.
struct TunaExchange {
    int ranks;
    algorithms::patterns::Radices radices;
    std::int64_t in_flight;    // rounds of a digit that share a wait
    bool fused = true;         // sizes travel with the blocks; else in a message of their own
    double block = 0;          // mean bytes of a block
    double direct = 0;         // of a block that travels alone, from the rank that sends the most
    double some = 1;           // the share of blocks that are not empty
    double size_bytes = 0;     // of a block's size in a message
    bool sizes_of_all = false; // a block that travels alone also has its size
};

// Among all ranks. `ring` null: among ranks of one node.
void plan_tuna(const TunaExchange& exchange, const Ring* ring, Sink& sink);

// Bruck's exchange without rotations, for blocks of one size.
void plan_zero_rotation_bruck(const Ring& ring, algorithms::patterns::Radices radices, double block,
                              Sink& sink);

} // namespace switchyard::shim::predict
