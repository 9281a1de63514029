// Notices, and what ranks see of each other's epochs.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

using namespace switchyard::algorithms;
using switchyard::tests::at_probe;
using switchyard::tests::NodeInProcess;
using switchyard::tests::RankInProcess;

namespace {

struct RingingAlarm : Alarm {
    bool rings() override { return true; }
    bool look() override { return true; }
};

// How often MPI gets to work while a rank looks `looks` times.
int probes_in(RankInProcess& rank, int looks) {
    int probes = 0;
    at_probe = [&] { ++probes; };
    for (int look = 0, done = 0; done < looks; ++done)
        CHECK(rank.epochs.rest(look, NodeRest::Others::may_compute));
    at_probe = {};
    return probes;
}

} // namespace

TEST_CASE("a rank is in an epoch for others once it has entered it", "[node_epochs]") {
    NodeInProcess node(2);
    const section::Notice first = node[0].epochs.next();
    first.header->word = 42;
    CHECK_FALSE(node[0].epochs.has_entered(1));
    node[1].enter_empty_epoch();
    CHECK_FALSE(node[1].epochs.has_entered(0));
    CHECK(node[0].epochs.has_entered(1));
    node[0].epochs.enter(first);
    CHECK(node[1].epochs.has_entered(0));
    CHECK(node[1].epochs.notice(0).header->word == 42);
    CHECK(node[0].epochs.number() == 1);
}

TEST_CASE("a rank that goes ahead leaves the last notice to the others", "[node_epochs]") {
    NodeInProcess node(2);
    for (std::uint64_t epoch = 1; epoch < 6; ++epoch) {
        const section::Notice own = node[0].epochs.next();
        own.header->word = epoch;
        node[0].epochs.enter(own);
        node[1].enter_empty_epoch();
        const section::Notice ahead = node[0].epochs.next(); // not entered yet
        ahead.header->word = 1000;
        CHECK(node[1].epochs.has_entered(0));
        CHECK(node[1].epochs.notice(0).header->word == epoch);
        node[0].epochs.enter(ahead);
        CHECK(node[1].epochs.has_entered(0));
        CHECK(node[1].epochs.notice(0).header->word == epoch);
        CHECK_FALSE(node[0].epochs.has_entered(1));
        node[1].enter_empty_epoch();
    }
}

TEST_CASE("who waits looks until the other one has entered the epoch", "[node_epochs]") {
    NodeInProcess node(2);
    int probes = 0;
    at_probe = [&] {
        if (++probes == 3) node[1].enter_empty_epoch();
    };
    node[0].enter_empty_epoch();
    CHECK(node[0].epochs.wait_for(1));
    CHECK(probes == 3);
    CHECK(node[0].epochs.wait_for(1)); // without a look at MPI
    CHECK(probes == 3);
    at_probe = {};
}

TEST_CASE("an alarm ends a wait, and breaks the window", "[node_epochs]") {
    NodeInProcess node(2);
    RingingAlarm alarm;
    node[0].epochs.open({}, &alarm);
    node[0].enter_empty_epoch();
    CHECK_FALSE(node[0].epochs.is_broken());
    CHECK_FALSE(node[0].epochs.wait_for(1));
    CHECK(node[0].epochs.is_broken());
}

TEST_CASE("a rank that waits lets MPI work, more often where messages are under way", "[node_epochs]") {
    NodeInProcess node(2);
    CHECK(probes_in(node[0], 160) == 10);
    node[0].epochs.probe_often(true);
    CHECK(probes_in(node[0], 160) == 160);
    node[0].epochs.probe_often(false);
    CHECK(probes_in(node[0], 160) == 10);
}
