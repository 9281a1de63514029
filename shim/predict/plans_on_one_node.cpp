// Algorithms for the ranks of one node that share memory, and the exchange in place.
#include "plans.hpp"

#include "algorithms/alltoallv/in_place_scratch.hpp"

namespace switchyard::shim::predict {

using algorithms::Requests;

namespace {

// Each rank copies its blocks into the memory, and the other ranks' blocks out of it.
void through_memory(const Situation& situation, const BlockFacts& facts, Sink& sink) {
    const double others = situation.shape.ranks - 1;
    plan_epoch(situation.shape, {others + 1, others * facts.busiest + facts.mean},
               {others, others * facts.mean}, sink);
}

constexpr std::size_t request_bytes = sizeof(algorithms::alltoallv::Request);

void plan_single_requests(const Situation& situation, Sink& sink) {
    const double some = situation.blocks.all().some;
    if (some == 0) return;
    Round requests;
    Ring(situation.shape).exchange(requests, 1, situation.shape.ranks, some, request_bytes);
    sink.round(requests);
}

// The exchange is the MPI library's own. The benchmark counts a message to each rank, in one wait.
void plan_requests_to_all(const Situation& situation, Requests way, Sink& sink) {
    const int ranks = situation.shape.ranks;
    const Blocks words({bench::Distribution::Kind::equal}, ranks, request_bytes);
    const Situation exchange{situation.collective, situation.shape, situation.parameters, words};
    Round counted;
    Ring(situation.shape).exchange(counted, 1, ranks, 1, request_bytes);
    counted.matters = Round::Matters::count;
    sink.round(counted);
    Uncounted library(sink);
    if (way == Requests::alltoall)
        native::alltoall(exchange, library);
    else
        native::alltoallv(exchange, library);
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
    const auto way = algorithms::alltoallv::in_place_requests(ring.ranks(), situation.parameters);
    if (way == Requests::messages)
        plan_single_requests(situation, sink);
    else
        plan_requests_to_all(situation, way, sink);
    if (facts.some == 0) return;
    Round data;
    data.copy_before(1, facts.mean);
    ring.exchange(data, 1, ring.ranks(), facts.some, facts.busiest / facts.some);
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
