// Algorithms of allgather that do not know nodes. A block is one rank's, for everybody.
#include "plans.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::shim::predict {

namespace allgather {

namespace {

double block_of(const Situation& situation) {
    return situation.blocks.all().mean;
}

void copy(double count, double bytes_each, Sink& sink) {
    Round round;
    round.copy_before(count, bytes_each);
    sink.round(round);
}

// In each step a rank passes on all blocks that it has, or those that its partner lacks.
void double_blocks(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    for (int distance = 1; distance < ring.ranks(); distance *= 2) {
        const int blocks = std::min(distance, ring.ranks() - distance);
        Round round;
        ring.exchange(round, distance, 1, blocks * block_of(situation));
        sink.round(round);
    }
}

// Between rank 0 and the rank after it.
void send_in_pair(double bytes, bool out, Sink& sink) {
    Round round;
    Load& load = round.loads.front();
    (out ? load.near_out : load.near_in).add(1, bytes);
    sink.round(round);
}

} // namespace

void ring(const Situation& situation, Sink& sink) {
    const Ring around(situation.shape);
    copy(1, block_of(situation), sink);
    if (block_of(situation) <= 0) return;
    Round round;
    around.exchange(round, 1, 1, block_of(situation));
    round.times = around.ranks() - 1;
    sink.round(round);
}

void bruck(const Situation& situation, Sink& sink) {
    copy(2, block_of(situation), sink);
    if (block_of(situation) <= 0) return;
    double_blocks(situation, sink);
    copy(situation.shape.ranks - 1, block_of(situation), sink);
}

void dissemination(const Situation& situation, Sink& sink) {
    copy(1, block_of(situation), sink);
    if (block_of(situation) > 0) double_blocks(situation, sink);
}

// As rank 0 does it, which has most to do where ranks are no power of two.
void recursive_doubling(const Situation& situation, Sink& sink) {
    const int ranks = situation.shape.ranks;
    const int teams = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))), pairs = ranks - teams;
    const double block = block_of(situation);
    const Ring ring(situation.shape);
    copy(1, block, sink);
    if (block <= 0) return;
    if (pairs > 0) send_in_pair(block, false, sink);
    for (int distance = 1; distance < teams; distance *= 2) {
        const int first =
            distance < pairs ? 2 * distance : distance + pairs; // of the ranks of the other teams
        Round round;
        Load& load = round.loads.front();
        const bool is_near = first < ring.per_node();
        (is_near ? load.near_out : load.far_out).add(1, first * block);
        (is_near ? load.near_in : load.far_in).add(1, first * block);
        sink.round(round);
    }
    if (pairs > 0) send_in_pair((ranks - 1) * block, true, sink);
}

} // namespace allgather

} // namespace switchyard::shim::predict
