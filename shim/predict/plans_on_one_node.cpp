// Algorithms for the ranks of one node that share memory, and the exchange in place.
#include "plans.hpp"

#include "algorithms/alltoallv/in_place_scratch.hpp"

namespace switchyard::shim::predict {

namespace {

// Each rank copies its blocks into the memory, and the other ranks' blocks out of it.
void through_memory(const Situation& situation, const BlockFacts& facts, Sink& sink) {
    const double others = situation.shape.ranks - 1;
    plan_epoch(situation.shape, {others + 1, others * facts.busiest + facts.mean},
               {others, others * facts.mean}, sink);
}

} // namespace

namespace alltoallv {

void shared(const Situation& situation, Sink& sink) {
    through_memory(situation, forwarded_blocks(situation), sink);
    plan_direct_blocks(situation, sink);
}

// With separate buffers all space is free, so there is one phase: requests, then all data.
void in_place(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    const BlockFacts& facts = situation.blocks.all();
    if (facts.some == 0) return;
    Round requests, data;
    ring.exchange(requests, 1, ring.ranks(), facts.some, sizeof(algorithms::alltoallv::Request));
    data.copy_before(1, facts.mean);
    ring.exchange(data, 1, ring.ranks(), facts.some, facts.busiest / facts.some);
    sink.round(requests);
    sink.round(data);
}

} // namespace alltoallv

namespace alltoall {

void shared(const Situation& situation, Sink& sink) {
    through_memory(situation, situation.blocks.all(), sink);
}

} // namespace alltoall

namespace allgather {

void shared(const Situation& situation, Sink& sink) {
    const double others = situation.shape.ranks - 1, block = situation.blocks.all().mean;
    plan_epoch(situation.shape, {1, block}, {others + 1, (others + 1) * block}, sink);
}

} // namespace allgather

} // namespace switchyard::shim::predict
