#include "predict.hpp"

#include "plans.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::predict {

namespace {

using algorithms::GroupShape;

// A collective without counts for each rank has blocks of one size.
bench::Distribution distribution_of(const Call& call) {
    if (traits_of(call.collective).has_count_arrays()) return call.distribution;
    return {bench::Distribution::Kind::equal, 0};
}

std::uint64_t scratch_of(const policy::Choice& choice, const Call& call, const BlockFacts& facts) {
    const auto formula = choice.algorithm->scratch_bytes;
    if (formula == nullptr) return 0;
    const double block = traits_of(call.collective).sends_one_block() ? std::ceil(facts.mean) : facts.largest;
    return formula(call.shape, static_cast<std::size_t>(block), choice.parameters);
}

} // namespace

Predictor::Predictor(const Machine& machine, const Call& call)
    : machine_(machine), call_(call), blocks_(distribution_of(call), call.shape.ranks, call.max_block) {}

Prediction Predictor::of(const policy::Choice& choice) const {
    const Situation situation{call_.collective, call_.shape, choice.parameters, blocks_};
    Walk walk(machine_, call_.shape);
    if (!traits_of(call_.collective).block_is_known() &&
        needs_agreed_block(*choice.algorithm, choice.parameters))
        plan_agreement(situation, walk);
    plan(*choice.algorithm, situation, walk);
    return {walk.spent(), walk.counts(), scratch_of(choice, call_, blocks_.all())};
}

double Predictor::agreement_us() const {
    const Situation situation{call_.collective, call_.shape, {}, blocks_};
    Walk walk(machine_, call_.shape);
    plan_agreement(situation, walk);
    return walk.spent().all();
}

double Predictor::buffer_bytes() const {
    const double received = call_.shape.ranks * blocks_.all().mean;
    return received + (traits_of(call_.collective).sends_one_block()
                           ? blocks_.all().mean
                           : call_.shape.ranks * blocks_.all().busiest);
}

GroupShape shape_of(int ranks, int ranks_per_node) {
    const int most = std::min(ranks, ranks_per_node);
    return {ranks, (ranks + most - 1) / most, most};
}

} // namespace switchyard::shim::predict
