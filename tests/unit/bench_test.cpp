// The benchmark's parts that need no MPI.
#include "catch.hpp"

#include "shim/bench/contenders.hpp"
#include "shim/bench/distributions.hpp"
#include "shim/bench/machine_file.hpp"
#include "shim/bench/options.hpp"
#include "shim/bench/results.hpp"
#include "shim/bench/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace switchyard::bench {
namespace {

using algorithms::Collective;

Distribution distribution(const char* text) {
    return parse_distribution(text).value();
}

std::vector<double> all_sizes(const char* text, int ranks, std::size_t largest) {
    const Sizes sizes(distribution(text), 7, ranks, largest);
    std::vector<double> all;
    for (int source = 0; source < ranks; ++source)
        for (const std::size_t size : sizes.sent_by(source)) all.push_back(static_cast<double>(size));
    return all;
}

text::Result<std::vector<Options>, Ended> options_of(std::vector<std::string> words) {
    words.insert(words.begin(), "switchyard-bench");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

Options first_of(const text::Result<std::vector<Options>, Ended>& parsed) {
    return parsed.value().front();
}

std::string refused_words(const std::vector<std::string>& words) {
    const auto parsed = options_of(words);
    REQUIRE(!parsed);
    CHECK(parsed.error()->status == 2);
    return parsed.error()->text;
}

} // namespace

TEST_CASE("median, its deviation, and ratios in pairs", "[bench]") {
    CHECK(median({}) == 0);
    CHECK(median({3}) == 3);
    CHECK(median({9, 1, 2}) == 2);
    CHECK(median({4, 1, 3, 100}) == 3.5);
    CHECK(median_absolute_deviation({1, 2, 3, 4, 100}) == 1);
    CHECK(median_ratio({2, 20, 4}, {1, 10, 8}) == 2);
    CHECK(median_ratio({2, 4}, {}) == 0);
    CHECK(median_ratio({2, 4}, {0, 2}) == 2); // a clock that stood still says nothing
}

TEST_CASE("what a rank sends is what the others expect", "[bench]") {
    for (const char* text : {"uniform", "normal", "power_law", "fft1", "fft2", "sparse:3", "partition",
                             "partition:3", "window:70"}) {
        for (const int ranks : {1, 2, 5, 16}) {
            const Sizes sizes(distribution(text), 3, ranks, 100), again(distribution(text), 3, ranks, 100);
            for (int destination = 0; destination < ranks; ++destination) {
                const auto received = sizes.received_by(destination);
                for (int source = 0; source < ranks; ++source)
                    CHECK(received[static_cast<std::size_t>(source)] ==
                          again.sent_by(source)[static_cast<std::size_t>(destination)]);
            }
        }
    }
}

TEST_CASE("distributions have their shapes", "[bench]") {
    const auto uniform = all_sizes("uniform", 64, 1000);
    CHECK(std::ranges::max(uniform) <= 1000);
    CHECK(mean(uniform) > 480);
    CHECK(mean(uniform) < 520);

    const auto normal = all_sizes("normal", 64, 1000);
    CHECK(mean(normal) > 980);
    CHECK(mean(normal) < 1020);
    std::vector<double> squares;
    for (const double size : normal) squares.push_back((size - 1000) * (size - 1000));
    CHECK(mean(squares) > 220.0 * 220);
    CHECK(mean(squares) < 260.0 * 260);

    const auto power = all_sizes("power_law", 64, 1000);
    CHECK(std::ranges::max(power) <= 1000);
    CHECK(std::ranges::max(power) > 900);
    CHECK(median(power) < 60);
    CHECK(all_sizes("power_law", 8, 0) == std::vector<double>(64, 0));

    const auto sparse = Sizes(distribution("sparse:3"), 1, 16, 50);
    for (int source = 0; source < 16; ++source) {
        const auto sent = sparse.sent_by(source);
        CHECK(std::ranges::count(sent, std::size_t{50}) == 3);
        CHECK(std::ranges::count(sent, std::size_t{0}) == 13);
        CHECK(sent[static_cast<std::size_t>(source)] == 0);
    }
    CHECK(std::ranges::count(Sizes(distribution("sparse:99"), 1, 4, 50).sent_by(2), std::size_t{50}) == 3);
}

TEST_CASE("a window narrows around the mean", "[bench]") {
    for (const int percent : {50, 60, 75, 100}) {
        const auto sizes = all_sizes(("window:" + std::to_string(percent)).c_str(), 64, 1000);
        CHECK(std::ranges::min(sizes) == 10.0 * (100 - percent)); // of 4096 drawn sizes some are at the ends
        CHECK(std::ranges::max(sizes) == 10.0 * percent);
        CHECK(mean(sizes) > 480);
        CHECK(mean(sizes) < 520);
    }
    CHECK(all_sizes("window:100", 16, 77) == all_sizes("uniform", 16, 77));
    CHECK(all_sizes("window:80", 16, 0) == std::vector<double>(256, 0));
}

TEST_CASE("a partition is all of a rank's data, in random blocks", "[bench]") {
    constexpr std::size_t all = 100'000'000;
    const auto bytes_of = [](const std::vector<std::size_t>& sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    };
    const Sizes dense(distribution("partition"), 1, 16, all), sparse(distribution("partition:3"), 1, 16, all);
    for (int source = 0; source < 16; ++source) {
        for (const auto& sent : {dense.sent_by(source), sparse.sent_by(source)}) {
            CHECK(bytes_of(sent) == all);
            CHECK(sent[static_cast<std::size_t>(source)] == 0);
        }
        CHECK(std::ranges::count(dense.sent_by(source), std::size_t{0}) == 1);
        CHECK(std::ranges::count(sparse.sent_by(source), std::size_t{0}) == 13);
    }
    CHECK(sparse.sent_by(0) != sparse.sent_by(1));
    CHECK(Sizes(distribution("partition"), 1, 2, all).sent_by(1) == std::vector<std::size_t>{all, 0});
    CHECK(Sizes(distribution("partition"), 1, 1, all).sent_by(0) == std::vector<std::size_t>{0});
    CHECK(bytes_of(Sizes(distribution("partition:99"), 1, 4, 2).sent_by(0)) == 2);
    CHECK(bytes_of(Sizes(distribution("partition"), 1, 4, 0).sent_by(0)) == 0);
}

// Of n random cuts of a stick, a share of (1 - x)^n of the pieces is longer than x.
TEST_CASE("a partition's blocks are as long as those of random cuts", "[bench]") {
    auto sizes = all_sizes("partition", 128, 1'000'000);
    std::erase(sizes, 0.0);
    CHECK(mean(sizes) > 0.999e6 / 127);
    CHECK(mean(sizes) < 1.001e6 / 127);
    for (const double x : {0.002, 0.01, 0.02}) {
        const auto longer = std::ranges::count_if(sizes, [&](double size) { return size > x * 1e6; });
        const double expected = std::pow(1 - x, 126), found = static_cast<double>(longer) / (128.0 * 127);
        CHECK(std::abs(found - expected) < 0.015);
    }
}

TEST_CASE("the two FFT shapes", "[bench]") {
    const Sizes first(distribution("fft1"), 1, 64, 1);
    CHECK(first(39, 49) == 64);
    CHECK(first(40, 0) == 0);
    CHECK(first(0, 50) == 0);
    const Sizes second(distribution("fft2"), 1, 64, 1);
    CHECK(second(0, 63) == 512);
    CHECK(second(63, 0) == 128);
    // The paper's number of complex values, of 16 bytes each.
    const auto all = all_sizes("fft2", 64, 1);
    CHECK(std::accumulate(all.begin(), all.end(), 0.0) == ((64 - 1) * 32 + 8) * 64 * 16.0);
}

TEST_CASE("seeds differ", "[bench]") {
    CHECK(Sizes(distribution("uniform"), 1, 8, 1000).sent_by(0) !=
          Sizes(distribution("uniform"), 2, 8, 1000).sent_by(0));
}

TEST_CASE("distributions that there are not", "[bench]") {
    for (const char* text : {"", "gauss", "sparse", "sparse:", "sparse:0", "sparse:x", "uniform:3", "equals",
                             "partition:", "partition:0", "partition:x", "window", "window:", "window:49",
                             "window:101", "window:7x"})
        CHECK(!parse_distribution(text));
    for (const char* text :
         {"uniform", "sparse:12", "equal", "partition", "partition:12", "window:50", "window:100"})
        CHECK(name_of(distribution(text)) == text);
}

TEST_CASE("lists and ranges of parameters", "[bench]") {
    const auto texts = [](const char* spec) { return expand(spec, 10).value(); };
    using Texts = std::vector<std::string>;
    CHECK(texts("spread_out") == Texts{"spread_out"});
    CHECK(texts("tuna:radix=2,sqrt,ranks") == Texts{"tuna:radix=2", "tuna:radix=4", "tuna:radix=10"});
    CHECK(texts("tuna:radix=2..ranks") ==
          Texts{"tuna:radix=2", "tuna:radix=4", "tuna:radix=8", "tuna:radix=10"});
    CHECK(texts("tuna:radix=2..2") == Texts{"tuna:radix=2"});
    CHECK(texts("tuna:radix=2,3:metadata=fused,separate") ==
          Texts{"tuna:radix=2:metadata=fused", "tuna:radix=2:metadata=separate",
                "tuna:radix=3:metadata=fused", "tuna:radix=3:metadata=separate"});
    for (const char* spec : {"tuna:radix=8..2", "tuna:radix=0..4", "tuna:radix=2..x"})
        CHECK(!expand(spec, 10));
}

TEST_CASE("contenders", "[bench]") {
    const auto named = [](const std::vector<std::string>& specs, bool native = true, bool in_place = false) {
        return contenders_of(Collective::alltoallv, specs, 16, native, in_place);
    };
    const auto both = named({"tuna:radix=4,4", "native"}).value();
    REQUIRE(both.size() == 2);
    CHECK(both[0].is_native());
    CHECK(both[1].name.starts_with("tuna radix=4"));
    CHECK(both[1].without(switchyard::algorithms::Parameter::radix) == "tuna metadata=fused in_flight=32");

    const auto problem = [&](const std::vector<std::string>& specs, bool native = true,
                             bool in_place = false) { return *named(specs, native, in_place).error(); };
    CHECK(problem({"tunna"}).find("did you mean \"tuna\"") != std::string::npos);
    CHECK(problem({"tuna:radix=17"}).find("radix 17 is more than 16 ranks") != std::string::npos);
    CHECK(problem({"tuna:radix"}).find("PARAMETER=VALUE") != std::string::npos);
    CHECK(problem({"tuna;spread_out"}).find("names more than one algorithm") != std::string::npos);
    CHECK(problem({}, false).find("nothing to measure") != std::string::npos);
    CHECK(problem({"tuna"}, true, true).find("must not overlap") != std::string::npos);
}

TEST_CASE("command lines", "[bench]") {
    const auto options = first_of(options_of({"--algorithm", "tuna", "-a", "pairwise", "--max-block", "16,32",
                                              "--format", "json", "--no-native"}));
    CHECK(options.algorithms == std::vector<std::string>{"tuna", "pairwise"});
    CHECK(options.max_blocks == std::vector<std::size_t>{16, 32});
    CHECK(options.format == Format::json);
    CHECK_FALSE(options.native);
    CHECK(first_of(options_of({"--distribution", "fft2"})).max_blocks == std::vector<std::size_t>{512});

    CHECK(refused_words({"--nonsense"}).find("--nonsense") != std::string::npos);
    CHECK(refused_words({"--iterations", "0"}).find("--iterations") != std::string::npos);
    CHECK(refused_words({"--collective", "bcast"}).find("alltoallv") != std::string::npos);
    CHECK(refused_words({"--distribution", "gauss"}).find("uniform, normal") != std::string::npos);
    CHECK(first_of(options_of({"--calibrate", "a.json", "--ranks-per-node", "4"})).calibrate == "a.json");
    CHECK(refused_words({"--calibrate", "-", "--max-block", "16"}).find("leave out --max-block") !=
          std::string::npos);
    CHECK(refused_words({"--calibrate", "-", "--in-place"}).find("leave out --in-place") !=
          std::string::npos);
    CHECK(refused_words({"--max-block", "16", "--then", "--calibrate", "-"}).find("leave out --then") !=
          std::string::npos);
    CHECK(refused_words({"--plot", "a.pdf"}).find(".png or .svg") != std::string::npos);
    CHECK(refused_words({"--collective", "alltoall", "--in-place"}).find("for alltoallv") !=
          std::string::npos);
    CHECK(refused_words({"--collective", "alltoall", "--distribution", "normal"}).find("for alltoallv") !=
          std::string::npos);
    const auto help = *options_of({"--help"}).error();
    CHECK(help.status == 0);
    CHECK(help.text.find("2..64") != std::string::npos);
}

Report report_of(const std::string& spec) {
    Report report;
    report.options.plot = "out.svg";
    report.contenders = contenders_of(Collective::alltoallv, {spec}, 16, true, false).value();
    for (std::size_t i = 0; i < report.contenders.size(); ++i) {
        Result result;
        result.contender = i;
        result.max_block = 16;
        result.seconds = {1e-6 * static_cast<double>(i + 1)};
        report.results.push_back(result);
    }
    return report;
}

TEST_CASE("the plot is over the parameter that has several values", "[bench]") {
    Report report = report_of("tuna:radix=2,4");
    const std::string radices = plot_script(report);
    CHECK(radices.find("set xlabel 'radix'") != std::string::npos);
    CHECK(radices.find("\n2 2\n4 3\ne\n") != std::string::npos);
    report.contenders.pop_back();
    report.results.pop_back();
    CHECK(plot_script(report).find("set xlabel 'largest block, bytes'") != std::string::npos);

    const std::string memory = plot_script(report_of("in_place:buffers=1,2:auxiliary_bytes=10,1000"));
    CHECK(memory.find("set xlabel 'auxiliary_bytes'") != std::string::npos);
    CHECK(memory.find("title 'in_place buffers=1 requests=by_ranks, 16 bytes', '-'") != std::string::npos);
    CHECK(memory.find("\n10 2\n1000 3\ne\n10 4\n1000 5\ne\n") != std::string::npos);
}

TEST_CASE("an estimate is the median and its relative deviation", "[bench]") {
    const Estimate estimate = estimate_of({10, 20, 30, 40, 1000});
    CHECK(estimate.value == 30);
    CHECK(estimate.spread == 10.0 / 30);
    CHECK(std::isnan(estimate_of({}).value));
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(estimate_of({infinite, 1, infinite, 3, infinite}).value == 2);
    CHECK(std::isnan(estimate_of({infinite}).value));
    CHECK(estimate_of({0, 0, 0}).value == 0);
    CHECK_FALSE(std::isfinite(estimate_of({0, 0, 0}).spread));
}

TEST_CASE("means are those from the first call on", "[bench]") {
    CHECK(mean({}) == 0);
    CHECK(mean({1, 2, 6}) == 3);
    CHECK(ratio_of_means({30, 2, 2, 2}, {6, 6, 6}) == 34.0 / 18);
    CHECK(ratio_of_means({1}, {}) == 0);
    Report report = report_of("pairwise");
    for (Result& result : report.results) {
        result.warmup = {8e-6};
        result.baseline = {1e-6};
        result.warmup_baseline = {2e-6};
    }
    const auto result = nlohmann::json::parse(json_of(report))["results"][1];
    CHECK(result["first_us"].get<double>() == Approx(8));
    CHECK(result["mean_us"].get<double>() == Approx(5));
    CHECK(result["mean_ratio_to_native"].get<double>() == Approx(10.0 / 3));
    CHECK(result["ratio_to_native"].get<double>() == Approx(2));
    CHECK(result["warmup_us"].size() == 1);
    const std::string table = table_of(report);
    CHECK(table.find("| first us | mean us | mean x native |") != std::string::npos);
    CHECK(table.find("|     8.00 |    5.00 |         3.333 |") != std::string::npos);
}

MachineFile machine_with_values() {
    MachineFile machine{"here", "by \xff hand", {}, {}, {}};
    machine.network = {{1.23456, 0.02}, {0.25, 0}, {12500, 0.1}, {25000, 0.123456}};
    machine.node = {{0.1, 0}, {0.2, 0}, {10000, 0}, {200000, 0}};
    machine.packing = {{0.002, 0.5}, {9000, 0}};
    return machine;
}

TEST_CASE("a machine's file has each value and its spread", "[bench]") {
    const MachineFile machine = machine_with_values();
    const auto file = nlohmann::json::parse(json_of(machine));
    CHECK(file["switchyard_machine"] == 1);
    CHECK(file["name"] == "here");
    CHECK(file["network"] == nlohmann::json{{"latency_us", 1.235},
                                            {"overhead_us", 0.25},
                                            {"pair_bytes_per_us", 12500},
                                            {"card_bytes_per_us", 25000}});
    CHECK(file["node"] == nlohmann::json{{"latency_us", 0.1},
                                         {"overhead_us", 0.2},
                                         {"pair_bytes_per_us", 10000},
                                         {"memory_bytes_per_us", 200000}});
    CHECK(file["packing"] == nlohmann::json{{"block_us", 0.002}, {"copy_bytes_per_us", 9000}});
    CHECK(file["spread"]["network"]["card_bytes_per_us"] == 0.1235);
    CHECK(file["spread"]["packing"]["block_us"] == 0.5);
    CHECK(
        doubts_about(machine) ==
        std::vector<std::string>{"differs much between repetitions, so keep other programs off the nodes and "
                                 "calibrate once more: packing.block_us (50 %)"});
}

TEST_CASE("a machine's file never has a value that is not finite", "[bench]") {
    MachineFile machine = machine_with_values();
    machine.network.latency_us = {0, std::numeric_limits<double>::quiet_NaN()};
    machine.network.total_bytes_per_us = {};
    machine.packing.copy_bytes_per_us = {std::numeric_limits<double>::infinity(), 0};
    const auto file = nlohmann::json::parse(json_of(machine));
    CHECK(file["network"]["latency_us"] == 0);
    CHECK_FALSE(file["spread"]["network"].contains("latency_us"));
    CHECK_FALSE(file["network"].contains("card_bytes_per_us"));
    CHECK_FALSE(file["packing"].contains("copy_bytes_per_us"));
    CHECK_FALSE(file["spread"]["packing"].contains("copy_bytes_per_us"));
    CHECK(json_of(machine).find("null") == std::string::npos);
    const auto doubts = doubts_about(machine);
    REQUIRE(doubts.size() == 3);
    CHECK(doubts[0] == "could not be measured, and is not in the file: network.card_bytes_per_us, "
                       "packing.copy_bytes_per_us");
    CHECK(doubts[1] == "came out as 0, because what was subtracted is as large: network.latency_us");
}

TEST_CASE("a machine's file says how it was measured", "[bench]") {
    Options options;
    options.command = "bench --calibrate a.json";
    Environment environment;
    environment.mpi = "Some MPI 1.0";
    environment.ranks = 12;
    environment.nodes = 6;
    environment.hosts = {"a", "b", "c", "d", "e", "f"};
    environment.date = "today";
    CHECK(source_of(options, environment) ==
          "bench --calibrate a.json; 12 ranks on 6 nodes; hosts: a, b, c, d and 2 more; Some MPI 1.0; today");
    options.ranks_per_node = 2;
    environment.hosts = {"a"};
    CHECK(source_of(options, environment) == "bench --calibrate a.json; 12 ranks on emulated nodes of 2 "
                                             "consecutive ranks; hosts: a; Some MPI 1.0; today");
}

TEST_CASE("a machine's file that cannot be written", "[bench]") {
    CHECK(why_not_writable("/no/such/folder/a.json").find("/no/such/folder/a.json cannot be written") == 0);
    CHECK(why_not_writable("-").empty());
    CHECK(write("{}", "/no/such/folder/a.json")
              .find("/no/such/folder/a.json cannot be written: No such file") == 0);
}

} // namespace switchyard::bench
