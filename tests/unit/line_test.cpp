// A line of the log: valid JSON, the contract's fields, their types.
#include "tests/support/catch.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/log/line.hpp"
#include "shim/entry/abi.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

using namespace switchyard::shim::log;
using nlohmann::json;
using switchyard::shim::Binding;
using switchyard::tests::has;

namespace {

const std::string tuna_decision =
    R"("algorithm":"tuna","parameters":{"radix":4},"rule":"small blocks, many ranks","reason":"rule")";

CommunicatorName world_of(int ranks) {
    CommunicatorName name;
    name.number = 1;
    name.id = "world";
    name.rank = 2;
    name.ranks = ranks;
    name.nodes = 4;
    name.ranks_per_node = 4;
    return name;
}

MergedCall call_of_ranks(int ranks) {
    MergedCall call;
    for (int rank = 0; rank < ranks; ++rank) {
        CallRecord record;
        record.communicator = 1;
        record.sequence = 12;
        record.decision = 3;
        record.binding = static_cast<std::uint8_t>(Binding::c);
        record.has_detail = true;
        record.begin = 7'000'100U + static_cast<unsigned>(rank);
        record.elapsed = 41'200U + 1000U * static_cast<unsigned>(rank);
        record.max_block = 64;
        record.sent = static_cast<unsigned>(rank) * 32U;
        record.agree = 9'100;
        record.stage = 400;
        record.exchange = 33'000;
        record.messages = 10;
        record.rounds = 5;
        record.wire_bytes = 1840;
        record.has_nodes = true;
        record.messages_inter = 4U + static_cast<unsigned>(rank % 3); // so 4 to 6 of the 10 stay on the node
        record.wire_bytes_inter = 1000;
        call.add(Slot::call(record), rank);
        if (rank % 2 == 0) call.add(Slot::nodes(record), rank); // in any order
        call.add(Slot::detail(record), rank);
        if (rank % 2 == 1) call.add(Slot::nodes(record), rank);
    }
    return call;
}

std::set<std::string> keys(const json& object) {
    std::set<std::string> names;
    for (const auto& item : object.items()) names.insert(item.key());
    return names;
}

// Tighter than Approx: times have three decimals.
bool near(const json& value, double expected) {
    return std::abs(value.get<double>() - expected) <= 1e-9 * std::abs(expected);
}

const std::set<std::string> contract = {"call",       "comm",           "seq",
                                        "collective", "binding",        "ranks",
                                        "nodes",      "ranks_per_node", "max_block_bytes",
                                        "sent_bytes", "buffer",         "in_place",
                                        "algorithm",  "parameters",     "rule",
                                        "reason",     "time_us",        "phases_us",
                                        "messages",   "wire_bytes"};

} // namespace

TEST_CASE("a call's line has the contract's fields and no surprises", "[line]") {
    const auto text = call_line(17, call_of_ranks(16), world_of(16), tuna_decision);
    CHECK(text.find('\n') == std::string::npos);
    const auto line = json::parse(text);
    auto expected = contract;
    expected.insert({"rounds", "begin_us", "messages_inter", "messages_intra", "wire_bytes_inter",
                     "wire_bytes_intra"}); // added
    CHECK(keys(line) == expected);
    CHECK(keys(line["sent_bytes"]) == std::set<std::string>{"min", "mean", "max"});
    CHECK(keys(line["time_us"]) == std::set<std::string>{"min", "mean", "max", "slowest_rank"});
    CHECK(keys(line["phases_us"]) == std::set<std::string>{"agree", "stage", "exchange"});
}

// A field that is new changes this text, on purpose.
TEST_CASE("the text of a line is what it always was", "[line]") {
    auto name = world_of(3);
    name.regions = 8;
    CallRecord record;
    record.sequence = 12;
    record.calls = 2;
    record.binding = static_cast<std::uint8_t>(Binding::c);
    record.has_detail = record.has_nodes = record.large_count = record.in_place = true;
    record.on_device = record.is_staged = true;
    record.begin = 7'000'100;
    record.elapsed = 41'200;
    record.max_block = 64;
    record.sent = 32;
    record.agree = 9'100;
    record.stage = 400;
    record.exchange = 30'001;
    record.copy_in = 2'000;
    record.copy_out = 4'050;
    record.messages = 10;
    record.rounds = 5;
    record.wire_bytes = 1840;
    record.messages_inter = 4;
    record.wire_bytes_inter = 1000;
    MergedCall call;
    for_each_slot(record, [&](const Slot& slot) { call.add(slot, 0); });
    record.elapsed = 50'000;
    record.sent = 33;
    record.messages_inter = 3;
    for_each_slot(record, [&](const Slot& slot) { call.add(slot, 1); });
    CHECK(call_line(17, call, name, tuna_decision) ==
          R"({"call":17,"comm":"world","seq":12,"collective":"alltoallv","binding":"c","calls":2,)"
          R"("large_count":true,"ranks":3,"nodes":4,"ranks_per_node":4,"regions":8,"max_block_bytes":64,)"
          R"("sent_bytes":{"min":32,"mean":32.5,"max":33},"buffer":"device","transfer":"staged",)"
          R"("in_place":true,"algorithm":"tuna","parameters":{"radix":4},)"
          R"("rule":"small blocks, many ranks","reason":"rule","time_us":{"min":41.2,"mean":45.6,)"
          R"("max":50,"slowest_rank":1},"phases_us":{"agree":9.1,"stage":0.4,"copy_in":2,"copy_out":4.05,)"
          R"("exchange":30.001},"messages":10,"wire_bytes":1840,"rounds":5,"messages_inter":4,)"
          R"("messages_intra":7,"wire_bytes_inter":1000,"wire_bytes_intra":840,"begin_us":7000.1,)"
          R"("ranks_seen":2})");
    CHECK(rank_line(record, 9, name, tuna_decision) ==
          R"({"world_rank":9,"comm":"world","rank":2,"seq":12,"collective":"alltoallv","binding":"c",)"
          R"("calls":2,"large_count":true,"max_block_bytes":64,"sent_bytes":33,"buffer":"device",)"
          R"("transfer":"staged","in_place":true,"algorithm":"tuna","parameters":{"radix":4},)"
          R"("rule":"small blocks, many ranks","reason":"rule","begin_us":7000.1,"time_us":50,)"
          R"("phases_us":{"agree":9.1,"stage":0.4,"copy_in":2,"copy_out":4.05,"exchange":30.001},)"
          R"("messages":10,"wire_bytes":1840,"messages_inter":3,"messages_intra":7,)"
          R"("wire_bytes_inter":1000,"wire_bytes_intra":840})");
    const CountedRecord seen{.begin = 5'500, .elapsed = 2'250, .sent = 192, .ranks = 4, .large_count = true};
    CHECK(counted_line(seen, 9) ==
          R"({"world_rank":9,"collective":"barrier","binding":"c","large_count":true,"ranks":4,)"
          R"("sent_bytes":192,"begin_us":5.5,"time_us":2.25})");
}

TEST_CASE("of device buffers it is told how they travelled", "[line]") {
    auto call = call_of_ranks(2);
    call.on_device.value = 1;
    auto line = json::parse(call_line(17, call, world_of(2), tuna_decision));
    CHECK(line["buffer"] == "device");
    CHECK(line["transfer"] == "direct");
    CHECK_FALSE(line["phases_us"].contains("copy_in"));

    CallRecord record;
    record.sequence = 12;
    record.on_device = record.is_staged = record.has_detail = true;
    record.copy_in = 2'000;
    record.copy_out = 4'000;
    call.add(Slot::call(record), 1);
    call.add(Slot::copies(record), 1);
    line = json::parse(call_line(17, call, world_of(3), tuna_decision));
    CHECK(line["transfer"] == "staged"); // on one rank
    CHECK(keys(line["phases_us"]) ==
          std::set<std::string>{"agree", "stage", "copy_in", "copy_out", "exchange"});
    CHECK(near(line["phases_us"]["copy_in"], 0.667)); // mean of three ranks
    CHECK(near(line["phases_us"]["copy_out"], 1.333));

    const auto of_rank = json::parse(rank_line(record, 1, world_of(3), tuna_decision));
    CHECK(of_rank["transfer"] == "staged");
    CHECK(near(of_rank["phases_us"]["copy_out"], 4));
}

TEST_CASE("regions are told of where a rule looks at them", "[line]") {
    auto name = world_of(16);
    name.regions = 8;
    const auto line = json::parse(call_line(17, call_of_ranks(16), name, tuna_decision));
    CHECK(line["regions"] == 8);
    auto expected = keys(json::parse(call_line(17, call_of_ranks(16), world_of(16), tuna_decision)));
    expected.insert("regions");
    CHECK(keys(line) == expected);
}

TEST_CASE("the fields have the contract's types and the call's values", "[line]") {
    const auto line = json::parse(call_line(17, call_of_ranks(16), world_of(16), tuna_decision));
    for (const char* field :
         {"call", "seq", "ranks", "nodes", "ranks_per_node", "max_block_bytes", "messages", "wire_bytes"})
        CHECK(line[field].is_number_integer());
    for (const char* field : {"comm", "collective", "binding", "buffer", "algorithm", "rule", "reason"})
        CHECK(line[field].is_string());
    CHECK(line["in_place"].is_boolean());
    CHECK(line["parameters"].is_object());
    for (const char* object : {"sent_bytes", "time_us", "phases_us"})
        for (const auto& item : line[object].items()) CHECK(item.value().is_number());
    CHECK(line["sent_bytes"]["min"].is_number_integer());
    CHECK(line["time_us"]["slowest_rank"].is_number_integer());

    CHECK(line["call"] == 17);
    CHECK(line["comm"] == "world");
    CHECK(line["seq"] == 12);
    CHECK(line["collective"] == "alltoallv");
    CHECK(line["binding"] == "c");
    CHECK(line["ranks"] == 16);
    CHECK(line["nodes"] == 4);
    CHECK(line["ranks_per_node"] == 4);
    CHECK_FALSE(line.contains("regions")); // nobody looked at them
    CHECK(line["max_block_bytes"] == 64);
    CHECK(line["sent_bytes"] == json{{"min", 0}, {"mean", 240}, {"max", 480}});
    CHECK(line["buffer"] == "host");
    CHECK(line["in_place"] == false);
    CHECK(line["parameters"] == json{{"radix", 4}});
    CHECK(line["rule"] == "small blocks, many ranks");
    CHECK(near(line["time_us"]["min"], 41.2));
    CHECK(near(line["time_us"]["mean"], 48.7));
    CHECK(near(line["time_us"]["max"], 56.2));
    CHECK(line["time_us"]["slowest_rank"] == 15);
    CHECK(near(line["phases_us"]["agree"], 9.1));
    CHECK(near(line["phases_us"]["stage"], 0.4));
    CHECK(near(line["phases_us"]["exchange"], 33.0));
    CHECK(line["messages"] == 10);
    CHECK(line["wire_bytes"] == 1840);
    CHECK(line["rounds"] == 5);
    CHECK(line["messages_inter"] == 6);
    CHECK(line["messages_intra"] == 6);
    CHECK(line["wire_bytes_inter"] == 1000);
    CHECK(line["wire_bytes_intra"] == 840);
    CHECK(near(line["begin_us"], 7000.1));
}

TEST_CASE("collectives, bindings and flags have their names", "[line]") {
    auto call = call_of_ranks(2);
    const char* collectives[] = {"alltoallv", "alltoall", "allgather"};
    for (std::uint8_t i = 0; i < 3; ++i) {
        call.collective.value = i;
        CHECK(json::parse(call_line(1, call, world_of(2), tuna_decision))["collective"] == collectives[i]);
    }
    call.binding.value = static_cast<std::uint8_t>(Binding::fortran);
    call.in_place.value = 1;
    call.large_count.value = 1;
    const auto line = json::parse(call_line(1, call, world_of(2), tuna_decision));
    CHECK(line["binding"] == "fortran");
    CHECK(line["in_place"] == true);
    CHECK(line["large_count"] == true);
}

TEST_CASE("what is unusual is said: missing ranks, several calls", "[line]") {
    auto call = call_of_ranks(3);
    call.calls.value = 40;
    const auto line = json::parse(call_line(1, call, world_of(4), tuna_decision));
    CHECK(line["ranks_seen"] == 3);
    CHECK(line["calls"] == 40);
    CHECK(near(line["sent_bytes"]["mean"], 32)); // of those that are there
    CHECK(near(line["phases_us"]["agree"], 9.1));
}

TEST_CASE("numbers of any size are JSON", "[line]") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999},
                                std::uint64_t{1'000'001}, std::uint64_t{1} << 53, most / 2, most}) {
        MergedCall call;
        CallRecord record;
        record.sequence = 1;
        record.begin = record.elapsed = record.max_block = record.sent = value;
        record.wire_bytes = value;
        record.has_detail = true;
        call.add(Slot::call(record), 0);
        call.add(Slot::detail(record), 0);
        const auto line = json::parse(call_line(most, call, world_of(1), tuna_decision));
        CHECK(line["max_block_bytes"] == value);
        CHECK(line["wire_bytes"] == value);
        CHECK(line["sent_bytes"]["max"] == value);
        CHECK(line["call"] == most);
        CHECK(near(line["time_us"]["max"], static_cast<double>(value) / 1000.0));
    }
}

TEST_CASE("times keep every nanosecond", "[line]") {
    auto call = call_of_ranks(1);
    for (std::uint64_t ns : {1UL, 41'234UL, 1'000'000'001UL, 3'600'000'000'001UL * 24}) {
        call.elapsed.max = ns;
        const auto us =
            json::parse(call_line(1, call, world_of(1), tuna_decision))["time_us"]["max"].get<double>();
        CHECK(static_cast<std::uint64_t>(us * 1000 + 0.5) == ns);
    }
}

TEST_CASE("a time has the same text whichever way it is converted", "[line]") {
    auto call = call_of_ranks(1);
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto ns = i < 3000 ? static_cast<std::uint64_t>(i) : random() >> (random() % 64);
        call.elapsed.max = ns;
        std::string expected = "\"max\":";
        switchyard::shim::append_number(expected, us(ns));
        REQUIRE(has(call_line(1, call, world_of(1), tuna_decision), expected + ",\"slowest_rank\""));
    }
}

TEST_CASE("a decision that was lost still makes a line", "[line]") {
    const Names none;
    const auto line = json::parse(call_line(1, call_of_ranks(1), world_of(1), none.decision(3)));
    CHECK(line["algorithm"].is_null());
    CHECK(line["rule"].is_null());
    CHECK(line["reason"].is_string());
}

TEST_CASE("a rank's line says the same of one rank", "[line]") {
    CallRecord record;
    record.communicator = 1;
    record.sequence = 12;
    record.collective = 2;
    record.binding = static_cast<std::uint8_t>(Binding::fortran);
    record.in_place = true;
    record.begin = 5'500;
    record.elapsed = 2'250;
    record.max_block = 64;
    record.sent = 192;
    record.agree = 1'000;
    record.stage = 250;
    record.exchange = 1'000;
    record.messages = 3;
    record.wire_bytes = 192;
    const auto line = json::parse(rank_line(record, 9, world_of(4), tuna_decision));
    CHECK(keys(line) == std::set<std::string>{"world_rank",
                                              "comm",
                                              "rank",
                                              "seq",
                                              "collective",
                                              "binding",
                                              "max_block_bytes",
                                              "sent_bytes",
                                              "in_place",
                                              "algorithm",
                                              "parameters",
                                              "rule",
                                              "reason",
                                              "begin_us",
                                              "time_us",
                                              "phases_us",
                                              "messages",
                                              "wire_bytes",
                                              "messages_inter",
                                              "messages_intra",
                                              "wire_bytes_inter",
                                              "wire_bytes_intra"});
    CHECK(line["world_rank"] == 9);
    CHECK(line["rank"] == 2);
    CHECK(line["seq"] == 12);
    CHECK(line["collective"] == "allgather");
    CHECK(line["binding"] == "fortran");
    CHECK(line["in_place"] == true);
    CHECK(line["sent_bytes"] == 192);
    CHECK(near(line["begin_us"], 5.5));
    CHECK(near(line["time_us"], 2.25));
    CHECK(near(line["phases_us"]["stage"], 0.25));
    record.calls = 3;
    CHECK(json::parse(rank_line(record, 9, world_of(4), tuna_decision))["calls"] == 3);
}

TEST_CASE("phases of the algorithm are told of where they were timed", "[line]") {
    CallRecord record;
    record.sequence = 12;
    record.has_detail = record.has_phases = true;
    record.prepare = 500;
    record.data = 9'000;
    record.update = 1'500;
    MergedCall call;
    for (const int rank : {0, 1}) for_each_slot(record, [&](const Slot& slot) { call.add(slot, rank); });
    record.has_phases = false; // a rank that was alone on its node
    for_each_slot(record, [&](const Slot& slot) { call.add(slot, 2); });
    const auto line = json::parse(call_line(1, call, world_of(3), tuna_decision));
    CHECK(keys(line["algorithm_us"]) == std::set<std::string>{"prepare", "data", "update"});
    CHECK(near(line["algorithm_us"]["data"], 6)); // mean of three ranks
    CHECK(near(line["algorithm_us"]["update"], 1));
    CHECK_FALSE(json::parse(rank_line(record, 2, world_of(3), tuna_decision)).contains("algorithm_us"));

    record.has_phases = true;
    record.prepare = record.data = record.update = 0;
    CHECK(json::parse(rank_line(record, 2, world_of(3), tuna_decision))["algorithm_us"].empty());
}
