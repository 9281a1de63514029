#include "plans.hpp"

#include <array>

namespace switchyard::shim::predict {

namespace {

using PlanOf = void (*)(const Situation&, Sink&);

using algorithms::Collective;

// Null among neighbours.
#define SWITCHYARD_PLAN(collective, function)                                                                \
    []() -> PlanOf {                                                                                         \
        if constexpr (algorithms::traits_of(Collective::collective).is_among_neighbors)                      \
            return nullptr;                                                                                  \
        else                                                                                                 \
            return &function;                                                                                \
    }(),
#define SWITCHYARD_NATIVE(collective) SWITCHYARD_PLAN(collective, native::collective)
#define SWITCHYARD_ALGORITHM(collective, name, ...) SWITCHYARD_PLAN(collective, collective::name)
// By Traits::line.
constexpr std::array plans = std::to_array<PlanOf>({
#include "algorithms/registry.def"
});

} // namespace

void plan(const algorithms::Traits& algorithm, const Situation& situation, Sink& sink) {
    if (situation.shape.ranks > 1) plans[algorithm.line](situation, sink);
}

} // namespace switchyard::shim::predict
