// The cores that ranks may run on together.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/core_set.hpp"

#include <algorithm>
#include <sched.h>
#include <unistd.h>
#include <vector>

using switchyard::algorithms::cores_of;
using switchyard::algorithms::CoreSet;

TEST_CASE("ranks with equal sets of cores share them", "[core_set]") {
    const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
    const std::vector<CoreSet> ranks(5, {all, 7});
    CHECK(cores_of(ranks) == all);
}

TEST_CASE("ranks with a core each have as many cores as ranks, up to those of the machine", "[core_set]") {
    const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
    std::vector<CoreSet> ranks;
    for (std::uint32_t rank = 0; rank < 5; ++rank) ranks.push_back({1, 100 + rank});
    CHECK(cores_of(ranks) == std::min(5, all));
    CHECK(cores_of(std::span(ranks).first(1)) == 1);
    CHECK(cores_of({}) == 1);
}

TEST_CASE("a rank's set is the one that the system gives it", "[core_set]") {
    cpu_set_t before, one;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    const CoreSet all = CoreSet::of_this_rank();
    CHECK(all.cores == CPU_COUNT(&before));
    CHECK(CoreSet::of_this_rank().name == all.name);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    const CoreSet bound = CoreSet::of_this_rank();
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(bound.cores == 1);
    if (all.cores > 1) CHECK(bound.name != all.name);
}
