#include "simulation.hpp"

#ifdef SWITCHYARD_SIMULATED

#include <cstdlib>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/host.h>
#include <utility>

namespace switchyard::algorithms::simulation {

#ifndef SWITCHYARD_UNCHARGED

namespace {

// Our own instructions, fitted to callgrind's count of six algorithms
// (tests/bench/RESULTS.md, The simulator charges).
constexpr double instructions_of_copy = 46, instructions_of_message = 80;
// MPI's instructions to make a datatype, gather or scatter with it, and free it: 343 to 473 in Open MPI 4.1.4
// and MPICH 4.0.2 (tests/bench/part_instructions).
constexpr double instructions_of_part = 400;

// The simulator loses shorter times where it is told that this much is one moment (settings.json, search).
constexpr double one_moment = 1e-7;

// The costs of a core, in seconds.
struct Costs {
    double copy, byte, message, part, epoch, neighbour;
};

// 0 where the machine's description says nothing.
double property(const char* name) {
    const char* text = sg_host_get_property_value(sg_host_self(), name);
    return text == nullptr ? 0 : std::atof(text);
}

// All hosts of a machine are alike.
const Costs& costs() {
    static const Costs known = [] {
        const double instruction = property("seconds-of-instruction");
        return Costs{instructions_of_copy * instruction,    property("seconds-of-copied-byte"),
                     instructions_of_message * instruction, instructions_of_part * instruction,
                     property("seconds-of-epoch"),          property("seconds-of-neighbour")};
    }();
    return known;
}

double seconds_of(const Work& done) {
    const Costs& each = costs();
    return static_cast<double>(done.copies) * each.copy + static_cast<double>(done.bytes) * each.byte +
           static_cast<double>(done.messages) * each.message + static_cast<double>(done.parts) * each.part +
           static_cast<double>(done.epochs) * each.epoch +
           static_cast<double>(done.neighbours) * each.neighbour;
}

} // namespace

void OwnTime::pass() {
    carried_ += seconds_of(std::exchange(work, {}));
    if (carried_ > one_moment) sg_actor_sleep_for(std::exchange(carried_, 0));
}

std::int64_t OwnTime::ahead_ns() const {
    return static_cast<std::int64_t>((carried_ + seconds_of(work)) * 1e9);
}

#endif

Meeting::Meeting(int ranks) : barrier_(sg_barrier_init(static_cast<unsigned>(ranks))) {}
Meeting::~Meeting() {
    sg_barrier_destroy(static_cast<sg_bar_t>(barrier_));
}
void Meeting::wait() {
    sg_barrier_wait(static_cast<sg_bar_t>(barrier_));
}

void rest() {
    sg_actor_sleep_for(2e-7); // seconds between two looks
}

} // namespace switchyard::algorithms::simulation

#endif
