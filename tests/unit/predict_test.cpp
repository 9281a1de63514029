// The performance model of `switchyard predict`. tests/bench/test_predict.py compares its
// counts with the benchmark's.
#include "catch.hpp"

#include "shim/bench/machine_file.hpp"
#include "shim/bench/machine_members.hpp"
#include "shim/predict/blocks.hpp"
#include "shim/predict/crossover.hpp"
#include "shim/predict/machine.hpp"
#include "shim/predict/plans.hpp"
#include "shim/predict/predict.hpp"

#include "policy/admissible.hpp"
#include "policy/parse.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace switchyard::shim::predict {
namespace {

using algorithms::Collective;
using algorithms::Parameter;

const std::string hockney =
    R"({"switchyard_machine": 1, "network": {"latency_us": 2, "pair_bytes_per_us": 1000}})";

// What is wrong with a machine file; "": nothing.
std::string problem_of(const std::string& text) {
    try {
        parse_machine(text, "m.json");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

// The same of the Hockney machine with more in its network.
std::string with_network(const std::string& more) {
    return problem_of(
        R"({"switchyard_machine": 1, "network": {"latency_us": 2, "pair_bytes_per_us": 1000, )" + more +
        "}}");
}

bench::Distribution equal() {
    return bench::parse_distribution("equal").value();
}

Prediction prediction(const Machine& machine, int ranks, int per_node, std::size_t block,
                      const std::string& algorithm, std::int64_t radix = 0,
                      Collective collective = Collective::alltoallv) {
    const auto shape = shape_of(ranks, per_node);
    policy::Choice choice;
    choice.algorithm = algorithms::find(collective, algorithm);
    REQUIRE(choice.algorithm != nullptr);
    policy::Use use;
    use.algorithm = algorithm;
    choice.parameters = policy::resolve(*choice.algorithm, use, shape);
    if (radix > 0) choice.parameters[Parameter::radix] = radix;
    return Predictor(machine, {collective, shape, equal(), block}).of(choice);
}

TEST_CASE("padded and two-phase Bruck cross where the paper says") {
    CHECK(padded_wins_below(1023, 2, 1e-4) == 8 + 4 * 2 / (1024 * 1e-4)); // (N - 8) (P + 1) beta < 4 alpha
    CHECK(padded_wins_below(1 << 30, 2, 1e-4) < 8.1);
    CHECK(std::isinf(padded_wins_below(64, 2, 1e-4, 1, 1))); // no padding
    CHECK(padded_wins_below(64, 2, 1e-4, 0.5, 0.6) > 4 * padded_wins_below(64, 2, 1e-4));

    const Machine machine = parse_machine(hockney, "m.json");
    const Call call{Collective::alltoallv, shape_of(64, 8), bench::parse_distribution("uniform").value(), 0};
    const Crossover crossover = crossover_of(machine, call);
    CHECK(std::abs(crossover.by_formula - (8 + 4 * 2 * 1000 / 8. / 65)) < 0.5); // 8 ranks share a NIC
    REQUIRE(crossover.by_model);
    const auto us = [&](const char* name, std::size_t block) {
        policy::Use use;
        use.algorithm = name;
        policy::Choice choice;
        choice.algorithm = algorithms::find(Collective::alltoallv, name);
        choice.parameters = policy::resolve(*choice.algorithm, use, call.shape);
        return Predictor(machine, {call.collective, call.shape, call.distribution, block}).of(choice).us();
    };
    CHECK(us("padded_bruck", *crossover.by_model - 1) < us("two_phase_bruck", *crossover.by_model - 1));
    CHECK(us("padded_bruck", *crossover.by_model) >= us("two_phase_bruck", *crossover.by_model));
    // The model pads nothing either, so all that is left is that two-phase Bruck sends twice the messages.
    CHECK(!crossover_of(machine, {call.collective, call.shape, equal(), 0}).by_model);
}

} // namespace

TEST_CASE("a machine file of Hockney's model is enough") {
    const Machine machine = parse_machine(hockney, "m.json");
    CHECK(machine.network.latency_us == 2);
    CHECK(machine.node.latency_us == 2);
    CHECK(machine.node.pair_bytes_per_us == 1000);
    CHECK(machine.card_bytes_per_us == 1000);
    CHECK(std::isinf(machine.card_messages_per_us));
    CHECK(machine.network.overhead_us == 0);
    CHECK(machine.epoch_us == 2);
    CHECK(std::isinf(machine.copy_bytes_per_us));
    CHECK(machine.memory_bytes == 0);
}

TEST_CASE("a machine file says more") {
    const Machine machine = parse_machine(R"({
        "switchyard_machine": 1, "name": "two", "source": "a test",
        "network": {"latency_us": 2, "pair_bytes_per_us": 1000, "card_bytes_per_us": 4000, "card_messages_per_us": 3,
                    "eager_bytes": 100},
        "node": {"latency_us": 0.5, "memory_bytes_per_us": 9, "memory_bytes": 1e9},
        "packing": {"block_us": 0.25, "copy_bytes_per_us": 7},
        "spread": {"network": {"latency_us": 0.1}}})",
                                          "m.json");
    CHECK(machine.name == "two");
    CHECK(machine.card_bytes_per_us == 4000);
    CHECK(machine.card_messages_per_us == 3);
    CHECK(machine.node.latency_us == 0.5);
    CHECK(machine.node.eager_bytes == 100); // as between nodes
    CHECK(machine.epoch_us == 0.5);
    CHECK(machine.memory_bytes == 1000000000);
    CHECK(machine.block_us == 0.25);
}

TEST_CASE("a machine file has what the benchmark wrote") {
    bench::MachineFile measured{"here", "a test", {}, {}, {}};
    measured.network = {{1, 0.1}, {2, 0.1}, {3, 0.1}, {4, 0.1}};
    measured.node = {{5, 0.1}, {6, 0.1}, {7, 0.1}, {8, 0.1}};
    measured.packing = {{9, 0.1}, {10, 0.1}};
    const Machine machine = parse_machine(json_of(measured), "m.json");
    CHECK(machine.name == "here");
    CHECK(machine.network.latency_us == 1);
    CHECK(machine.network.overhead_us == 2);
    CHECK(machine.network.pair_bytes_per_us == 3);
    CHECK(machine.card_bytes_per_us == 4);
    CHECK(machine.node.latency_us == 5);
    CHECK(machine.node.overhead_us == 6);
    CHECK(machine.node.pair_bytes_per_us == 7);
    CHECK(machine.memory_bytes_per_us == 8);
    CHECK(machine.block_us == 9);
    CHECK(machine.copy_bytes_per_us == 10);
}

TEST_CASE("each member of a machine file is read from its own section") {
    // Where a section has no such member, it is not known there.
    for (const auto& member : bench::machine_members)
        for (const auto section : bench::machine_sections) {
            auto changed = nlohmann::json::parse(hockney);
            changed[std::string(section)][std::string(member.name)] = -1;
            INFO(section << '.' << member.name);
            const bool is_there =
                std::ranges::any_of(bench::machine_members, [&](const bench::MachineMemberTraits& other) {
                    return other.section == section && other.name == member.name;
                });
            const std::string problem = problem_of(changed.dump());
            CHECK(problem.starts_with("m.json: /" + std::string(section) + '/' + std::string(member.name)));
            CHECK((problem.find("is not known") == std::string::npos) == is_there);
        }
}

TEST_CASE("nonsense in a machine file is named with its place") {
    CHECK(problem_of("{") == "m.json: is not JSON from byte 2 on");
    CHECK(problem_of("[1]") == "m.json: must be an object, not an array");
    CHECK(problem_of(R"({"network": {}})") == "m.json: /switchyard_machine is missing");
    CHECK(problem_of(R"({"switchyard_machine": 2})") == "m.json: /switchyard_machine must be 1, not 2");
    CHECK(problem_of(R"({"switchyard_machine": 1})") == "m.json: /network is missing");
    CHECK(problem_of(R"({"switchyard_machine": 1, "network": 3})") ==
          "m.json: /network must be an object, not 3");
    CHECK(problem_of(R"({"switchyard_machine": 1, "network": {"latency_us": 1}})") ==
          "m.json: /network/pair_bytes_per_us is missing");
    CHECK(problem_of(R"({"switchyard_machine": 1, "network": {"latency_us": -1, "pair_bytes_per_us": 1}})") ==
          "m.json: /network/latency_us must be a number, 0 or more, not -1");
    CHECK(problem_of(R"({"switchyard_machine": 1, "network": {"latency_us": 1, "pair_bytes_per_us": 0}})") ==
          "m.json: /network/pair_bytes_per_us must be a number above 0, not 0");
    CHECK(
        problem_of(R"({"switchyard_machine": 1, "network": {"latency_us": "1", "pair_bytes_per_us": 1}})") ==
        R"(m.json: /network/latency_us must be a number, 0 or more, not "1")");
    CHECK(problem_of(
              R"({"switchyard_machine": 1, "network": {"latency_us": 1e999, "pair_bytes_per_us": 1}})") ==
          "m.json: a number in it is too large");
    CHECK(with_network(R"("card_bytes_per_us": -5)") ==
          "m.json: /network/card_bytes_per_us must be a number above 0, not -5");
    CHECK(with_network(R"("overhead_us": 1e200)") ==
          "m.json: /network/overhead_us must be from 1e-09 to 1e+18, not 1e+200");
    CHECK(with_network(R"("overheads_us": 1)") ==
          R"(m.json: /network/overheads_us is not known, did you mean "overhead_us"?)");
    CHECK(with_network(R"("memory_bytes": 1)").starts_with("m.json: /network/memory_bytes is not known"));
    CHECK(with_network(R"("overhead_us": 0)").empty());
    CHECK_THROWS_WITH(find_machine("/nowhere.json"), Catch::Contains("no machine /nowhere.json"));
}

TEST_CASE("every algorithm of every collective among all ranks has a plan") {
    const Machine machine = parse_machine(hockney, "m.json");
    for (const auto& traits : algorithms::all_traits())
        for (const auto& [ranks, per_node] :
             {std::pair(16, 4), std::pair(12, 5), std::pair(8, 8), std::pair(2, 1)}) {
            if (traits_of(traits.collective).is_among_neighbors) continue;
            if (traits.has(algorithms::shared_memory) && per_node < ranks) continue;
            INFO(name_of(traits.collective) << ' ' << traits.name << ' ' << ranks << ' ' << per_node);
            const auto predicted =
                prediction(machine, ranks, per_node, 100, std::string(traits.name), 0, traits.collective);
            CHECK(predicted.us() > 0);
            CHECK(std::isfinite(predicted.us()));
            const bool sends = !traits.has(algorithms::shared_memory);
            CHECK((predicted.counts.messages > 0) == sends);
        }
}

TEST_CASE("MPI's own work for the parts of a datatype is charged on both sides") {
    const auto us = [](const char* packing, const char* algorithm) {
        const Machine machine =
            parse_machine(std::string(R"({"switchyard_machine": 1, "network": {"latency_us": 2,
                                      "pair_bytes_per_us": 1000}, "packing": )") +
                              packing + '}',
                          "m.json");
        return prediction(machine, 8, 1, 100, algorithm, 0, algorithms::Collective::alltoall).us();
    };
    // 8 ranks: three steps of 4 blocks.
    for (const char* typed : {"basic_bruck_datatype", "modified_bruck_datatype", "zero_copy_bruck"})
        CHECK(us(R"({"part_us": 0.5})", typed) - us(R"({"part_us": 0})", typed) == Approx(3 * 2 * 4 * 0.5));
    CHECK(us(R"({"part_us": 0.5})", "modified_bruck") == us(R"({"part_us": 0})", "modified_bruck"));
    // Where the file says nothing MPI copies a part as we copy a block: once less than the
    // variant with copies of ours.
    CHECK(us(R"({"block_us": 0.25})", "zero_copy_bruck") ==
          Approx(us(R"({"block_us": 0.25})", "modified_bruck")));
}

TEST_CASE("Hockney's model of one message at a time") {
    const Machine machine = parse_machine(hockney, "m.json");
    // 7 rounds of a message of 1000 bytes, one rank a node: 2 us and 1 us each. No rank waits
    // for a NIC that it shares.
    const auto predicted = prediction(machine, 8, 1, 1000, "pairwise");
    CHECK(predicted.us() == Approx(7 * 3.0));
    CHECK(predicted.spent.on(Bound::latency) == Approx(7 * 2.0));
    CHECK(predicted.spent.most() == Bound::latency);
    CHECK(predicted.counts.messages == 7);
    CHECK(predicted.counts.bytes_inter == 7000);
}

TEST_CASE("what bounds an exchange") {
    const auto bound = [](const std::string& more, const std::string& algorithm, std::size_t block) {
        const Machine machine = parse_machine(
            R"({"switchyard_machine": 1, "network": {"latency_us": 1, "pair_bytes_per_us": 1e5, )" + more +
                "}",
            "m.json");
        return prediction(machine, 64, 8, block, algorithm, 2).spent.most();
    };
    CHECK(bound(R"("overhead_us": 5})", "spread_out", 8) == Bound::overhead);
    CHECK(bound(R"("card_bytes_per_us": 1})", "spread_out", 1000) == Bound::nic);
    CHECK(bound(R"("overhead_us": 0})", "pairwise", 8) == Bound::latency);
    CHECK(bound(R"("overhead_us": 0}, "packing": {"block_us": 3})", "tuna", 8) == Bound::packing);
}

TEST_CASE("a NIC's limit of messages bounds what the ranks of a node send together") {
    const auto predicted = [](const std::string& limit, int ranks, const std::string& algorithm) {
        const Machine machine = parse_machine(
            R"({"switchyard_machine": 1, "network": {"latency_us": 1, "pair_bytes_per_us": 1e5)" + limit +
                "}}",
            "m.json");
        return prediction(machine, ranks, 8, 8, algorithm);
    };
    const std::string limit = R"(, "card_messages_per_us": 0.5)";
    const auto limited = predicted(limit, 64, "spread_out");
    // Eight ranks, each with a message to the 56 ranks of other nodes.
    CHECK(limited.spent.on(Bound::nic) == Approx(8 * 56 / 0.5));
    CHECK(limited.spent.most() == Bound::nic);
    CHECK(predicted("", 64, "spread_out").spent.on(Bound::nic) < 1);
    // One message of each rank to each of the 7 other nodes. Before, the agreement doubles its distance: the
    // first three times not all eight ranks have a partner on another node.
    const double agreement = 1 + 2 + 4 + 8 + 8 + 8;
    CHECK(predicted(limit, 64, "tuna_coalesced").spent.on(Bound::nic) == Approx((agreement + 8 * 7) / 0.5));
    // Messages inside of a node do not reach the NIC.
    CHECK(predicted(limit, 8, "spread_out").us() == predicted("", 8, "spread_out").us());
}

// The machines that are fitted to a time that others measured. Their `source` says which.
TEST_CASE("a fitted machine takes the time that it is fitted to") {
    struct Fitted {
        const char *name, *distribution;
        int ranks, per_node;
        std::size_t block;
        double us;
    };
    const Fitted all[] = {{"polaris_slow_messages", "uniform", 8192, 32, 16, 51800},
                          {"fugaku_slow_messages", "uniform", 8192, 32, 16, 408330},
                          {"aurora", "equal", 12288, 96, 8, 2.3e6}};
    for (const Fitted& fitted : all) {
        const Machine machine =
            find_machine(std::string(SWITCHYARD_SOURCE_DIR) + "/config/machines/" + fitted.name + ".json");
        policy::Choice choice;
        choice.algorithm = algorithms::find(Collective::alltoallv, "native");
        const auto sizes = bench::parse_distribution(fitted.distribution).value();
        const auto shape = shape_of(fitted.ranks, fitted.per_node);
        INFO(fitted.name);
        CHECK(Predictor(machine, {Collective::alltoallv, shape, sizes, fitted.block}).of(choice).us() ==
              Approx(fitted.us).epsilon(0.005));
    }
}

TEST_CASE("more of anything never takes less time") {
    const Machine machine = parse_machine(
        R"({"switchyard_machine": 1, "network": {"latency_us": 1, "pair_bytes_per_us": 1e4, "overhead_us": 0.2},
            "packing": {"block_us": 0.01, "copy_bytes_per_us": 1e4}})",
        "m.json");
    for (const char* algorithm :
         {"spread_out", "pairwise", "tuna", "tuna_coalesced", "node_aware", "padded_bruck"}) {
        double before = 0;
        for (const std::size_t block : {1UL, 16UL, 256UL, 4096UL, 65536UL}) {
            const double us = prediction(machine, 64, 8, block, algorithm).us();
            INFO(algorithm << ' ' << block);
            CHECK(us >= before);
            before = us;
        }
        CHECK(prediction(machine, 128, 8, 256, algorithm).us() >
              prediction(machine, 64, 8, 256, algorithm).us());
    }
}

TEST_CASE("what a plan knows of blocks") {
    const auto blocks = [](const char* distribution, int ranks, std::size_t largest) {
        return Blocks(bench::parse_distribution(distribution).value(), ranks, largest);
    };
    const Blocks same = blocks("equal", 8, 40);
    CHECK(same.all().mean == 40);
    CHECK(same.all().busiest == 40);
    CHECK(same.all().some == 1);
    CHECK(same.below(40).some == 0);
    CHECK(same.below(41).mean == 40);
    CHECK(same.from(40).busiest == 40);
    const Blocks few = blocks("sparse:2", 9, 100); // two of eight
    CHECK(few.all().some == Approx(0.25));
    CHECK(few.all().mean == Approx(25));
    CHECK(few.all().largest == 100);
    const Blocks some = blocks("fft1", 64, 64); // ranks from 40 on send nothing
    CHECK(some.all().busiest > some.all().mean);
    const Blocks many = blocks("uniform", 4096, 1000); // not all of the ranks are asked
    CHECK(many.all().mean == Approx(500).margin(5));
    CHECK(many.all().busiest >= many.all().mean);
}

// The rule of policy/automatic.cpp. The tables that it was made from: predict --algorithm tuna:radix=2..ranks.
TEST_CASE("an automatic radix takes little more than the best radix", "[auto]") {
    struct Checked {
        Collective collective;
        const char *algorithm, *more;
        double most; // of the best radix's time
    };
    const Checked all[] = {{Collective::alltoallv, "tuna", "", 1.25},
                           {Collective::alltoallv, "tuna", ":metadata=separate", 1.25},
                           {Collective::alltoallv, "tuna", ":metadata=separate:in_flight=1", 1.35},
                           {Collective::alltoallv, "tuna", ":in_flight=1", 1.35},
                           {Collective::alltoallv, "tuna_coalesced", "", 1.25},
                           {Collective::alltoallv, "node_aware", "", 1.05},
                           {Collective::allgather, "bruck", "", 1.15},
                           {Collective::alltoall, "parameterized_bruck", "", 1.35}};
    for (const std::string name : {"polaris", "fugaku"}) {
        const Machine machine =
            find_machine(std::string(SWITCHYARD_SOURCE_DIR) + "/config/machines/" + name + ".json");
        for (const Checked& checked : all)
            for (int ranks : {128, 512, 2048})
                for (std::size_t block = 16; block <= 32768; block *= ranks == 2048 ? 64 : 4) {
                    const auto us = [&](const std::string& radix) {
                        const auto parsed =
                            policy::parse_force(std::string(name_of(checked.collective)) + ':' +
                                                checked.algorithm + checked.more + ":radix=" + radix);
                        const policy::Use& use =
                            *parsed.value().by_collective[static_cast<std::size_t>(checked.collective)];
                        const auto shape = shape_of(ranks, 32);
                        policy::Choice choice;
                        choice.algorithm = algorithms::find(checked.collective, checked.algorithm);
                        choice.parameters = policy::resolve(*choice.algorithm, use, shape, block);
                        const auto uniform = bench::parse_distribution("uniform").value();
                        return Predictor(machine, {checked.collective, shape, uniform, block})
                            .of(choice)
                            .us();
                    };
                    double best = us(std::to_string(ranks));
                    for (int radix = 2; radix < ranks; radix *= 2)
                        best = std::min(best, us(std::to_string(radix)));
                    INFO(name << ", " << checked.algorithm << checked.more << ", " << ranks << " ranks, "
                              << block);
                    CHECK(us("auto") <= (name == "polaris" ? checked.most : 1.7) * best);
                }
    }
}

TEST_CASE("scratch memory is that of the algorithm's formula") {
    const Machine machine = parse_machine(hockney, "m.json");
    const auto shape = shape_of(64, 8);
    for (const char* name : {"tuna", "node_aware", "padded_bruck", "spread_out"}) {
        const auto& traits = *algorithms::find(Collective::alltoallv, name);
        policy::Use use;
        use.algorithm = name;
        const auto formula = traits.scratch_bytes;
        const std::size_t expected =
            formula == nullptr ? 0 : formula(shape, 256, policy::resolve(traits, use, shape));
        CHECK(prediction(machine, 64, 8, 256, name).scratch_bytes == expected);
    }
}

} // namespace switchyard::shim::predict
