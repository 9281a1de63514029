// The MPI library's own collectives. No library tells which algorithm it runs, so these plans are an
// assumption: what MPICH does by default (Thakur, Rabenseifner and Gropp, Optimization of Collective
// Communication Operations in MPICH, 2005).
#include "plan_tuna.hpp"
#include "plans.hpp"

#include "algorithms/patterns/batches.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;

namespace native {

namespace {

constexpr int partners_at_once = 32;
constexpr double short_alltoall = 256, long_alltoall = 32768;       // bytes of a block
constexpr double long_allgather = 81920, medium_allgather = 524288; // bytes of all blocks

// Each rank sends to each other rank, in batches. MPICH also sends empty blocks.
void in_batches(const Situation& situation, double block, int partners, Sink& sink) {
    const Ring ring(situation.shape);
    for (patterns::Batch batch(ring.ranks(), partners); batch.valid(); batch.advance()) {
        Round round;
        ring.exchange(round, batch.first(), batch.last(), 1, block);
        sink.round(round);
    }
}

void all_to_all_of_any_size(const Situation& situation, Sink& sink) {
    in_batches(situation, situation.blocks.all().busiest, partners_at_once, sink);
}

void gather_to_all(const Situation& situation, Sink& sink) {
    const double bytes = situation.blocks.all().mean * situation.shape.ranks;
    const bool is_power = std::has_single_bit(static_cast<unsigned>(situation.shape.ranks));
    if (is_power && bytes < medium_allgather) return predict::allgather::recursive_doubling(situation, sink);
    if (bytes < long_allgather) {
        Situation doubling = situation;
        doubling.parameters[algorithms::Parameter::radix] = 2;
        return predict::allgather::bruck(doubling, sink);
    }
    predict::allgather::ring(situation, sink);
}

} // namespace

void alltoallv(const Situation& situation, Sink& sink) {
    all_to_all_of_any_size(situation, sink);
}

void alltoallw(const Situation& situation, Sink& sink) {
    all_to_all_of_any_size(situation, sink);
}

void alltoall(const Situation& situation, Sink& sink) {
    const double block = situation.blocks.all().largest;
    if (block <= short_alltoall)
        plan_zero_rotation_bruck(Ring(situation.shape), 2, block, sink);
    else
        in_batches(situation, block, block <= long_alltoall ? partners_at_once : 1, sink);
}

void allgather(const Situation& situation, Sink& sink) {
    gather_to_all(situation, sink);
}

void allgatherv(const Situation& situation, Sink& sink) {
    gather_to_all(situation, sink);
}

} // namespace native

} // namespace switchyard::shim::predict
