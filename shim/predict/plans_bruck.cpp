// Bruck's exchanges of blocks of one size. Padded blocks have one size.
#include "plan_tuna.hpp"
#include "plans.hpp"

#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/radix.hpp"

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;
using algorithms::Parameter;

namespace {

double block_of(const Situation& situation) {
    return situation.blocks.all().largest;
}

void copy(double count, double bytes_each, Sink& sink) {
    Round round;
    round.copy_before(count, bytes_each);
    sink.round(round);
}

// A step of a variant in base 2. `before`, `after`: how often it copies each block before and
// after the step's message.
Round step_of(const Situation& situation, const patterns::Round& step, double before, double after) {
    const double block = block_of(situation);
    const auto blocks = static_cast<double>(step.blocks());
    Round round;
    round.copy_before(before * blocks, block);
    Ring(situation.shape).exchange(round, step.distance(), 1, blocks * block);
    round.copy_after(after * blocks, block);
    return round;
}

void plan_steps(const Situation& situation, Sink& sink) {
    for (patterns::Round step(situation.shape.ranks, 2); step.valid(); step.advance())
        sink.round(step_of(situation, step, 1, 1));
}

// MPI gathers and scatters the blocks of a step by derived datatypes. A single block needs none.
void plan_typed_steps(const Situation& situation, double after, Sink& sink) {
    for (patterns::Round step(situation.shape.ranks, 2); step.valid(); step.advance()) {
        Round round = step_of(situation, step, 0, after);
        if (step.blocks() > 1)
            for (Load& load : round.loads) load.parts = 2.0 * static_cast<double>(step.blocks());
        sink.round(round);
    }
}

// Three copies for each pair of blocks that change places.
void shift_back(const Situation& situation, Sink& sink) {
    const int pairs = situation.shape.ranks / 2;
    copy(3.0 * pairs, block_of(situation), sink);
}

} // namespace

// A block that travels alone is not copied.
void plan_zero_rotation_bruck(const Ring& ring, patterns::Radices radices, double block, Sink& sink) {
    for (patterns::Round step(ring.ranks(), radices); step.valid(); step.advance()) {
        const auto blocks = static_cast<double>(step.blocks());
        const double copied = step.blocks() == 1 ? 0 : blocks;
        Round round;
        round.copy_before(copied, block);
        ring.exchange(round, step.distance(), 1, blocks * block);
        round.copy_after(copied, block);
        sink.round(round);
    }
}

namespace alltoall {

void basic_bruck(const Situation& situation, Sink& sink) {
    copy(situation.shape.ranks, block_of(situation), sink);
    plan_steps(situation, sink);
    shift_back(situation, sink);
}

void modified_bruck(const Situation& situation, Sink& sink) {
    copy(situation.shape.ranks, block_of(situation), sink);
    plan_steps(situation, sink);
}

void zero_copy_bruck(const Situation& situation, Sink& sink) {
    copy(situation.shape.ranks, block_of(situation), sink);
    plan_typed_steps(situation, 0, sink);
}

void basic_bruck_datatype(const Situation& situation, Sink& sink) {
    copy(situation.shape.ranks, block_of(situation), sink);
    plan_typed_steps(situation, 1, sink);
    shift_back(situation, sink);
}

void modified_bruck_datatype(const Situation& situation, Sink& sink) {
    copy(situation.shape.ranks, block_of(situation), sink);
    plan_typed_steps(situation, 1, sink);
}

void zero_rotation_bruck(const Situation& situation, Sink& sink) {
    copy(1, block_of(situation), sink);
    plan_zero_rotation_bruck(Ring(situation.shape), 2, block_of(situation), sink);
}

void parameterized_bruck(const Situation& situation, Sink& sink) {
    copy(1, block_of(situation), sink);
    plan_zero_rotation_bruck(Ring(situation.shape), situation.parameters[Parameter::radix],
                             block_of(situation), sink);
}

} // namespace alltoall

namespace alltoallv {

void padded_bruck(const Situation& situation, Sink& sink) {
    const BlockFacts facts = forwarded_blocks(situation);
    const double others = situation.shape.ranks - 1;
    double slot = facts.largest;
    if (sends_directly(situation.parameters))
        slot += static_cast<double>(patterns::narrowest(static_cast<std::size_t>(facts.largest)));
    copy(1, situation.blocks.all().mean, sink);
    if (facts.largest == 0) return;
    copy(others, facts.mean, sink);
    plan_zero_rotation_bruck(Ring(situation.shape), 2, slot, sink);
    copy(others, facts.mean, sink);
    plan_direct_blocks(situation, sink);
}

// The exchange is the MPI library's own alltoall. The benchmark counts a message to each rank, in one wait.
void padded_alltoall(const Situation& situation, Sink& sink) {
    const BlockFacts& facts = situation.blocks.all();
    const double others = situation.shape.ranks - 1;
    copy(1, facts.mean, sink);
    if (facts.largest == 0) return;
    copy(others, facts.mean, sink);
    Round counted;
    Ring(situation.shape).exchange(counted, 1, situation.shape.ranks, 1, facts.largest);
    counted.matters = Round::Matters::count;
    sink.round(counted);
    Uncounted library(sink);
    native::alltoall(situation, library);
    copy(others, facts.mean, sink);
}

} // namespace alltoallv

} // namespace switchyard::shim::predict
