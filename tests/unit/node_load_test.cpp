// What the times of the ranks tell of other programs.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/last_cache.hpp"
#include "algorithms/transport/memory/node_load.hpp"

#include <chrono>

using switchyard::algorithms::LastCache;
using switchyard::algorithms::NodeLoad;
using namespace std::chrono_literals;

namespace {

// A rank with a clock of its own, and seven other ranks that have as much of the two cores as it has.
struct TimedRank {
    NodeLoad load{2};
    NodeLoad::Clock::time_point now{1h};
    std::chrono::nanoseconds worked{};

    void pass(std::chrono::nanoseconds time, double part_of_cores) {
        now += time;
        worked += std::chrono::nanoseconds(
            static_cast<std::int64_t>(static_cast<double>(time.count()) * part_of_cores * 2 / 8));
        load.hear(8 * load.own_part(now, [this] { return worked; }));
    }
};

} // namespace

TEST_CASE("ranks that use up the cores have met no other program", "[node_load]") {
    TimedRank rank;
    for (int i = 0; i < 10; ++i) {
        rank.pass(NodeLoad::period, 0.95);
        CHECK_FALSE(rank.load.others_have_cores());
    }
}

TEST_CASE("ranks that miss a part of the cores have met one, until they have had the cores for some time",
          "[node_load]") {
    TimedRank rank;
    rank.pass(NodeLoad::period, 0.5); // no earlier time to compare with
    CHECK_FALSE(rank.load.others_have_cores());
    rank.pass(NodeLoad::period, 0.7);
    CHECK(rank.load.others_have_cores());
    rank.pass(NodeLoad::period, 1);
    CHECK(rank.load.others_have_cores());
    for (int i = 0; i < 3; ++i) rank.pass(NodeLoad::period, 1);
    CHECK_FALSE(rank.load.others_have_cores());
}

TEST_CASE("a short time tells nothing", "[node_load]") {
    TimedRank rank;
    rank.pass(NodeLoad::period, 1);
    for (int i = 0; i < 3; ++i) rank.pass(2ms, 0);
    CHECK_FALSE(rank.load.others_have_cores());
    rank.pass(200ms, 1); // together with the short times
    CHECK_FALSE(rank.load.others_have_cores());
}

TEST_CASE("as long as a rank knows nothing it has a core", "[node_load]") {
    NodeLoad load{2};
    CHECK(load.own_part(NodeLoad::Clock::time_point{1h}, NodeLoad::own_time) == 1);
}

TEST_CASE("a process uses its processor", "[node_load]") {
    const auto before = NodeLoad::own_time();
    volatile unsigned work = 0;
    for (unsigned i = 0; i < 1000000; ++i) work = work + i;
    CHECK(NodeLoad::own_time() > before);
}

TEST_CASE("ranks share the last cache with those of the cores around them", "[node_load]") {
    const LastCache cache{.bytes = 32 << 20, .cores = 8};
    CHECK(cache.share(1, 64) == 32 << 20);
    CHECK(cache.share(4, 64) == 8 << 20);
    CHECK(cache.share(64, 64) == 4 << 20);
    CHECK(cache.share(128, 64) == 2 << 20); // two ranks a core
    CHECK(cache.share(4, 2) == 8 << 20);    // fewer cores than the cache has: all ranks share it
    CHECK(LastCache::of_this_core().bytes > 0);
    CHECK(LastCache::of_this_core().cores > 0);
}
