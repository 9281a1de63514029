// What the times of the ranks tell of other programs.
#include "tests/support/catch.hpp"

#include "algorithms/last_cache.hpp"
#include "algorithms/node_load.hpp"

#include <chrono>

using switchyard::algorithms::LastCache;
using switchyard::algorithms::NodeLoad;
using namespace std::chrono_literals;

namespace {

// Ranks on two cores, at a time of their own.
struct Ranks {
    NodeLoad load{2};
    std::chrono::steady_clock::time_point now{1h};
    std::uint64_t times = 1;

    void pass(std::chrono::nanoseconds time, double part_of_cores) {
        now += time;
        times += static_cast<std::uint64_t>(static_cast<double>(time.count()) * 2 * part_of_cores);
        load.hear(times, now);
    }
};

} // namespace

TEST_CASE("ranks that use up the cores have met no other program", "[node_load]") {
    Ranks ranks;
    for (int i = 0; i < 10; ++i) {
        ranks.pass(25ms, 0.95);
        CHECK_FALSE(ranks.load.others_have_cores());
    }
}

TEST_CASE("ranks that miss a part of the cores have met one, until they have had the cores for some time",
          "[node_load]") {
    Ranks ranks;
    ranks.pass(25ms, 0.5); // there is no time before to compare with
    CHECK_FALSE(ranks.load.others_have_cores());
    ranks.pass(25ms, 0.7);
    CHECK(ranks.load.others_have_cores());
    ranks.pass(25ms, 1);
    CHECK(ranks.load.others_have_cores());
    for (int i = 0; i < 3; ++i) ranks.pass(25ms, 1);
    CHECK_FALSE(ranks.load.others_have_cores());
}

TEST_CASE("a short time tells nothing", "[node_load]") {
    Ranks ranks;
    ranks.pass(25ms, 1);
    for (int i = 0; i < 3; ++i) ranks.pass(2ms, 0);
    CHECK_FALSE(ranks.load.others_have_cores());
    ranks.pass(100ms, 1); // with the short times
    CHECK_FALSE(ranks.load.others_have_cores());
}

TEST_CASE("a process uses its processor", "[node_load]") {
    const auto before = NodeLoad::own_time();
    volatile int work = 0;
    for (int i = 0; i < 1000000; ++i) work = work + i;
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
