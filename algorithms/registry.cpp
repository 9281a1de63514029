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

// By Traits::line.
#define SWITCHYARD_NATIVE(collective) nullptr,
#define SWITCHYARD_ALGORITHM(collective, name, ...) &collective::name,
constexpr std::array run_functions = std::to_array<Run>({
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

// In the order of all_traits(), with room for every line in every collective. It takes no memory from the
// heap: a program may call while its static objects are destroyed.
std::array<Algorithm, run_functions.size() * collective_count> join() {
    std::array<Algorithm, run_functions.size() * collective_count> algorithms{};
    std::size_t next = 0;
    for (const Traits& traits : all_traits())
        algorithms[next++] = {&traits, run_functions[traits.line], prepares[traits.line]};
    return algorithms;
}

} // namespace

const Algorithm& algorithm_of(const Traits& traits) {
    static const auto algorithms = join();
    return algorithms[static_cast<std::size_t>(&traits - all_traits().data())];
}

} // namespace switchyard::algorithms
