#include "algorithm.hpp"

#include <array>

namespace switchyard::algorithms {

#define SWITCHYARD_ALGORITHM(collective, name, ...)                                                          \
    namespace collective {                                                                                   \
    Status name(const Exchange&, Context&);                                                                  \
    std::unique_ptr<Schedule> name##_schedule(const Group&, const Parameters&);                              \
    }
#include "registry.def"

namespace {

// In the order of all_traits(), which comes from the same lines.
#define SWITCHYARD_NATIVE(collective) nullptr,
#define SWITCHYARD_ALGORITHM(collective, name, ...) &collective::name,
constexpr std::array runs = std::to_array<Run>({
#include "registry.def"
});

// Only an algorithm that keeps a schedule has such a function.
#define SWITCHYARD_NATIVE(collective) nullptr,
#define SWITCHYARD_ALGORITHM(collective, name, idea, parameters, needs, ...)                                 \
    []() -> Prepare {                                                                                        \
        if constexpr (((needs)&keeps_schedule) != 0)                                                         \
            return &collective::name##_schedule;                                                             \
        else                                                                                                 \
            return nullptr;                                                                                  \
    }(),
constexpr std::array prepares = std::to_array<Prepare>({
#include "registry.def"
});

std::array<Algorithm, runs.size()> join() {
    std::array<Algorithm, runs.size()> algorithms{};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        algorithms[i] = {&all_traits()[i], runs[i], prepares[i]};
    }
    return algorithms;
}

} // namespace

const Algorithm& algorithm_of(const Traits& traits) {
    static const auto algorithms = join();
    return algorithms[static_cast<std::size_t>(&traits - all_traits().data())];
}

} // namespace switchyard::algorithms
