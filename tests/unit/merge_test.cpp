// The ranks' records of one call made into one.
#include "tests/support/catch.hpp"

#include "shim/common/log/merge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

using namespace switchyard::shim::log;

namespace {

CallRecord record_of_call(std::uint32_t sequence, std::uint64_t begin, std::uint64_t elapsed,
                          std::uint64_t sent) {
    CallRecord call;
    call.communicator = 1;
    call.sequence = sequence;
    call.decision = 2;
    call.collective = 1;
    call.begin = begin;
    call.elapsed = elapsed;
    call.sent = sent;
    call.max_block = sent / 2;
    return call;
}

CallRecord with_detail(CallRecord call, std::uint64_t phase, std::uint64_t messages, std::uint64_t bytes) {
    call.has_detail = true;
    call.agree = phase;
    call.stage = 2 * phase;
    call.exchange = 3 * phase;
    call.messages = messages;
    call.rounds = messages + 1;
    call.wire_bytes = bytes;
    return call;
}

void check_three_ranks(const MergedCall& call) {
    CHECK(call.ranks_seen == 3);
    CHECK(call.begin == 90);
    CHECK(call.elapsed.min == 10);
    CHECK(call.elapsed.sum == 60);
    CHECK(call.elapsed.max == 30);
    CHECK(call.slowest_rank == 1);
    CHECK(call.sent.min == 0);
    CHECK(call.sent.sum == 120);
    CHECK(call.sent.max == 80);
    CHECK(call.max_block == 40);
    CHECK(call.agree.sum == 6);
    CHECK(call.stage.sum == 12);
    CHECK(call.exchange.sum == 18);
    CHECK(call.messages == 7);
    CHECK(call.rounds == 8);
    CHECK(call.wire_bytes == 900);
    CHECK(call.sequence == 4);
    CHECK(call.decision == 2);
    CHECK(call.communicator == 1);
    CHECK(call.collective == 1);
    CHECK(call.calls == 1);
}

} // namespace

TEST_CASE("names with numbers that no run has are left out", "[merge]") {
    CommunicatorName good;
    good.number = good.leader_number = 1;
    good.id = "world";
    good.members = {0};
    const auto line = good.to_line();
    REQUIRE(Names::parse(line).communicators.size() == 1);
    for (const std::string key :
         {"communicator", "leader", "leader_number", "rank", "ranks", "nodes", "ranks_per_node"})
        for (const std::string number : {"1e300", "-1e300", "1.5", "4294967296", "null", "[1]"}) {
            auto changed = nlohmann::json::parse(line);
            changed[key] = nlohmann::json::parse(number);
            INFO(changed);
            CHECK(Names::parse(changed.dump()).communicators.empty());
        }
    auto changed = nlohmann::json::parse(line);
    changed["members"] = {1e300};
    CHECK(Names::parse(changed.dump()).communicators.empty());
    CHECK(Names::parse(R"({"decision":1e300,"text":""})").decisions.empty());
}

TEST_CASE("a slot far from the others takes no memory for what lies between, on each of many communicators",
          "[merge]") {
    CommunicatorCalls calls;
    CallRecord record;
    record.sequence = 4097;
    CHECK(calls.add(Slot::call(record), 0));
    const auto merged = calls.take();
    CHECK(merged.size() == 1);
    CHECK(merged.capacity() < 100);
}

TEST_CASE("minimum, sum, maximum and the slowest rank", "[merge]") {
    const CallRecord ranks[] = {with_detail(record_of_call(4, 100, 20, 40), 1, 5, 900),
                                with_detail(record_of_call(4, 90, 30, 80), 2, 7, 100),
                                with_detail(record_of_call(4, 110, 10, 0), 3, 6, 500)};
    // The ranks' slots come in any order, a detail before its call, too.
    std::vector<std::pair<Slot, int>> slots;
    for (int rank = 0; rank < 3; ++rank) {
        slots.emplace_back(Slot::call(ranks[rank]), rank);
        slots.emplace_back(Slot::detail(ranks[rank]), rank);
    }
    std::mt19937 random(7);
    for (int trial = 0; trial < 50; ++trial) {
        MergedCall call;
        for (const auto& [slot, rank] : slots) call.add(slot, rank);
        check_three_ranks(call);
        std::shuffle(slots.begin(), slots.end(), random);
    }
}

TEST_CASE("a call without detail spent its time in the library", "[merge]") {
    MergedCall call;
    call.add(Slot::call(record_of_call(1, 5, 10, 8)), 0);
    call.add(Slot::call(record_of_call(1, 6, 14, 8)), 1);
    CHECK(call.exchange.sum == 24);
    CHECK(call.agree.sum == 0);
    CHECK(call.stage.sum == 0);
    CHECK(call.messages == 0);
}

TEST_CASE("a slot that was never finished is nothing", "[merge]") {
    MergedCall call;
    Slot slot = Slot::call(record_of_call(1, 5, 10, 8));
    slot.kind = SlotKind::none;
    call.add(slot, 0);
    CHECK(call.ranks_seen == 0);
    CHECK(call.elapsed.sum == 0);
}

TEST_CASE("a rank that is missing does not pull the minimum to zero", "[merge]") {
    CommunicatorCalls calls;
    calls.add(Slot::call(record_of_call(1, 50, 12, 30)), 2);
    const auto merged = calls.take();
    REQUIRE(merged.size() == 1);
    CHECK(merged[0].ranks_seen == 1);
    CHECK(merged[0].begin == 50);
    CHECK(merged[0].elapsed.min == 12);
    CHECK(merged[0].sent.min == 30);
    CHECK(merged[0].slowest_rank == 2);
}

TEST_CASE("zeros on the first rank stay the minimum", "[merge]") {
    MergedCall call;
    call.add(Slot::call(record_of_call(1, 0, 0, 0)), 0);
    call.add(Slot::call(record_of_call(1, 9, 9, 9)), 1);
    CHECK(call.begin == 0);
    CHECK(call.elapsed.min == 0);
    CHECK(call.sent.min == 0);
    CHECK(call.slowest_rank == 1);
}

TEST_CASE("of ranks that are equally slow one is named", "[merge]") {
    MergedCall call;
    for (int rank = 0; rank < 3; ++rank) call.add(Slot::call(record_of_call(1, 1, 7, 1)), rank);
    CHECK(call.slowest_rank == 0);
}

TEST_CASE("calls of a communicator come by sequence, gaps left out", "[merge]") {
    CommunicatorCalls calls;
    for (std::uint32_t sequence : {9U, 2U, 5U})
        calls.add(Slot::call(record_of_call(sequence, 10 * sequence, 1, sequence)), 0);
    calls.add(Slot::call(record_of_call(5, 40, 3, 1)), 1);
    calls.add(Slot::call(record_of_call(0, 1, 1, 1)), 0);                         // there is no such call
    calls.add(Slot::detail(with_detail(record_of_call(7, 1, 1, 1), 1, 1, 1)), 0); // its call was lost
    const auto merged = calls.take();
    REQUIRE(merged.size() == 3);
    CHECK(merged[0].sequence == 2);
    CHECK(merged[1].sequence == 5);
    CHECK(merged[1].ranks_seen == 2);
    CHECK(merged[1].begin == 40);
    CHECK(merged[2].sequence == 9);
}

TEST_CASE("no calls merge to none", "[merge]") {
    CommunicatorCalls calls;
    CHECK(calls.take().empty());
}

TEST_CASE("summed-up calls keep their number", "[merge]") {
    MergedCall call;
    for (int rank = 0; rank < 2; ++rank) {
        auto sum = record_of_call(1, 1, 100, 10);
        sum.calls = 25;
        call.add(Slot::call(sum), rank);
    }
    CHECK(call.calls == 25);
    CHECK(call.ranks_seen == 2);
}

TEST_CASE("names come back from their lines, by number", "[merge]") {
    CommunicatorName world;
    world.number = 2;
    world.id = "world";
    world.leader = 0;
    world.leader_number = 0;
    world.rank = 3;
    world.ranks = 8;
    world.nodes = 3;
    world.ranks_per_node = 4;
    world.members = {0, 5, 3};
    CommunicatorName other = world;
    other.number = 7;
    other.id = "3:7";
    other.members.clear();
    other.regions = 6;
    const DecisionName decision{
        5, R"("algorithm":"tuna","parameters":{"radix":2},"rule":"a \"b\" é","reason":"rule")"};
    const auto names = Names::parse(other.to_line() + "\n" + decision.to_line() + "\n" + world.to_line());
    const auto* found = names.communicator(2);
    REQUIRE(found != nullptr);
    CHECK(found->id == "world");
    CHECK(found->rank == 3);
    CHECK(found->ranks == 8);
    CHECK(found->nodes == 3);
    CHECK(found->ranks_per_node == 4);
    CHECK(found->members == std::vector{0, 5, 3});
    REQUIRE(names.communicator(7) != nullptr);
    CHECK(names.communicator(7)->id == "3:7");
    CHECK(names.communicator(7)->members.empty());
    CHECK(names.communicator(7)->regions == 6);
    CHECK(found->regions == 0);
    CHECK(names.communicator(1) == nullptr);
    CHECK(names.communicator(8) == nullptr);
    CHECK(names.decision(5) == decision.text);
    CHECK(names.communicators.front().number == 2);
}
