#include "plans.hpp"

#include <array>

namespace switchyard::shim::predict {

namespace {

using PlanOf = void (*)(const Situation&, Sink&);

// By Traits::line.
#define SWITCHYARD_NATIVE(collective) &native::collective,
#define SWITCHYARD_ALGORITHM(collective, name, ...) &collective::name,
constexpr std::array plans = std::to_array<PlanOf>({
#include "algorithms/registry.def"
});

} // namespace

void plan(const algorithms::Traits& algorithm, const Situation& situation, Sink& sink) {
    if (situation.shape.ranks > 1) plans[algorithm.line](situation, sink);
}

} // namespace switchyard::shim::predict
