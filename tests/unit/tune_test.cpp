// Parts of `switchyard tune` that need no machine: times, candidates, noise, grids, the journal.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tune_points.hpp"

#include "shim/bench/members.hpp"
#include "shim/tune/bench_run.hpp"
#include "shim/tune/candidates.hpp"
#include "shim/tune/duration.hpp"
#include "shim/tune/from_log.hpp"
#include "shim/tune/grid.hpp"
#include "shim/tune/journal.hpp"
#include "shim/tune/noise.hpp"

#include "policy/admissible.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

using namespace switchyard;
using namespace switchyard::shim::tune;
using policy::Collective;
using tests::candidate_of;
using tests::point_of;
using tests::texts_of;

namespace {

Shape shape_of(Collective collective, int ranks, int nodes = 1) {
    return {collective, ranks, nodes, ranks / nodes};
}

bool contains(const std::vector<std::string>& candidates, const std::string& name) {
    return std::ranges::find(candidates, name) != candidates.end();
}

bool starts(const std::vector<std::string>& candidates, const std::string& name) {
    return std::ranges::any_of(candidates, [&](const std::string& c) { return c.starts_with(name); });
}

Place here() {
    return {"Some MPI 1.0", "2026-01-02T03:04:05+0000", 8, 1, 8, {"here"}};
}

Measurement measured(const Point& point, const std::string& candidate, std::vector<double> ratios) {
    Measurement measurement;
    measurement.point = point;
    measurement.candidate = candidate_of(point.shape.collective, candidate);
    measurement.ratios = std::move(ratios);
    measurement.median_us = 5;
    measurement.native_us = 10;
    measurement.seconds_per_iteration = 1e-5;
    measurement.largest_block = point.max_block;
    return measurement;
}

std::string refused_journal(const std::string& file, const JournalHead& head) {
    Measurements measurements(false);
    try {
        Journal journal(file, head, measurements);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("times as people write them", "[tune]") {
    CHECK(parse_duration("90s") == 90);
    CHECK(parse_duration("3m") == 180);
    CHECK(parse_duration("2.5m") == 150);
    CHECK(parse_duration("1h") == 3600);
    CHECK(parse_duration("1h30m5s") == 5405);
    for (const char* text :
         {"", "3", "m", "3 m", "0s", "-3m", "3x", "3m1h", "3m3m", "1e9h", "infs", "nans", "3ms"}) {
        INFO(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
    CHECK(duration_text(12) == "12 s");
    CHECK(duration_text(200) == "3 min 20 s");
    CHECK(duration_text(3900) == "1 h 5 min");
}

TEST_CASE("candidates are admissible, different, and none is native", "[tune]") {
    for (const auto collective : {Collective::alltoallv, Collective::alltoall, Collective::allgather})
        for (const Shape& shape : {shape_of(collective, 2), shape_of(collective, 7), shape_of(collective, 8),
                                   shape_of(collective, 64, 8), shape_of(collective, 8, 8)}) {
            for (const auto& list : {candidates_of(shape), coarse_candidates_of(shape)}) {
                CHECK_FALSE(list.empty());
                CHECK(std::set<Candidate>(list.begin(), list.end()).size() == list.size());
                policy::Features features;
                features.collective = collective;
                features.ranks = shape.ranks;
                features.nodes = shape.nodes;
                features.ranks_per_node = shape.ranks_per_node;
                for (const Candidate& candidate : list) {
                    INFO(candidate.text() << " on " << shape.text());
                    CHECK(Candidate::read(collective, candidate.text()) == candidate);
                    const policy::Use& use = candidate.use();
                    const auto& traits = *algorithms::find(collective, use.algorithm);
                    CHECK_FALSE(traits.native);
                    CHECK(policy::why_not_admissible(traits, policy::resolve(traits, use, shape.ranks),
                                                     features) == "");
                }
            }
        }
}

TEST_CASE("candidates are those that may be of use", "[tune]") {
    const auto one_node = texts_of(candidates_of(shape_of(Collective::alltoallv, 8)));
    CHECK(contains(one_node, "tuna"));
    CHECK(contains(one_node, "tuna:radix=2"));
    CHECK(contains(one_node, "tuna:radix=8"));
    CHECK_FALSE(contains(one_node, "tuna:radix=16"));
    CHECK(contains(one_node, "shared"));
    CHECK(contains(one_node, "exclusive_or"));
    CHECK_FALSE(contains(one_node, "scattered:block_count=8")); // 7 partners: as the preset
    CHECK_FALSE(starts(one_node, "in_place"));
    CHECK_FALSE(starts(one_node, "node_aware"));
    CHECK(one_node.front() == "spread_out");
    // The preset of the radix is 4 at 16 ranks, so 4 is not there a second time.
    CHECK_FALSE(contains(texts_of(candidates_of(shape_of(Collective::alltoallv, 16))), "tuna:radix=4"));

    const auto nodes = texts_of(candidates_of(shape_of(Collective::alltoallv, 12, 3)));
    CHECK(contains(nodes, "node_aware:intra=shared"));
    CHECK(contains(nodes, "tuna_coalesced:radix=2"));
    CHECK_FALSE(contains(nodes, "shared"));
    CHECK_FALSE(contains(nodes, "exclusive_or"));
    // A rank a node: nothing to share.
    CHECK_FALSE(starts(texts_of(candidates_of(shape_of(Collective::allgather, 8, 8))), "multi_lane:intra"));

    CHECK(candidate_of(Collective::alltoallv, "tuna:radix=2").needs_agreement());
    CHECK_FALSE(candidate_of(Collective::alltoallv, "shared").needs_agreement());
    CHECK_FALSE(candidate_of(Collective::alltoall, "modified_bruck").needs_agreement());
    CHECK(candidate_of(Collective::alltoallv, "tuna:in_flight=1:radix=4").words() ==
          "tuna radix=4 in_flight=1");
}

TEST_CASE("every parameter has its own values to try", "[tune]") {
    using Texts = std::vector<std::string>;
    const auto of = [](const char* algorithm, const Shape& shape) {
        auto texts = texts_of(candidates_of(shape));
        std::erase_if(texts, [&](const std::string& text) {
            return text != algorithm && !text.starts_with(std::string(algorithm) + ':');
        });
        return texts;
    };
    const Shape nodes = shape_of(Collective::alltoallv, 12, 3);
    CHECK(of("tuna", nodes) == Texts{"tuna", "tuna:radix=2", "tuna:radix=8", "tuna:radix=12",
                                     "tuna:radix=3x4", "tuna:radix=4x3", "tuna:radix=2x2x3",
                                     "tuna:metadata=separate", "tuna:in_flight=1", "tuna:in_flight=2",
                                     "tuna:in_flight=4", "tuna:in_flight=8", "tuna:direct_from=4096"});
    CHECK(of("scattered", nodes) == Texts{"scattered", "scattered:block_count=1", "scattered:block_count=2",
                                          "scattered:block_count=4", "scattered:block_count=8"});
    CHECK(of("stride_waitall", nodes) == Texts{"stride_waitall", "stride_waitall:stride=1",
                                               "stride_waitall:stride=2", "stride_waitall:stride=4",
                                               "stride_waitall:stride=8"});
    CHECK(of("node_aware", nodes) ==
          Texts{"node_aware", "node_aware:radix=2", "node_aware:radix=8", "node_aware:radix=12",
                "node_aware:lanes=1", "node_aware:lanes=2", "node_aware:lanes=4",
                "node_aware:direct_from=4096", "node_aware:intra=shared", "node_aware:radix=2:intra=shared",
                "node_aware:radix=8:intra=shared", "node_aware:radix=12:intra=shared",
                "node_aware:lanes=1:intra=shared", "node_aware:lanes=2:intra=shared",
                "node_aware:lanes=4:intra=shared", "node_aware:intra=shared:direct_from=4096"});
    const auto of_nodes = of("node_aware", shape_of(Collective::alltoallv, 24, 6));
    CHECK(std::ranges::count(of_nodes, "node_aware:radix=2x3") == 1);
    const auto in_nodes = of("tuna_coalesced", shape_of(Collective::alltoallv, 24, 4));
    CHECK(std::ranges::count(in_nodes, "tuna_coalesced:radix=2x3") == 1);
    CHECK(of("in_place", nodes).empty());
    CHECK(of("locality_aware_bruck", shape_of(Collective::allgather, 12, 3)) ==
          Texts{"locality_aware_bruck", "locality_aware_bruck:intra=shared"});
    const auto many = of("scattered", shape_of(Collective::alltoallv, 4096, 64));
    CHECK(many.back() == "scattered:block_count=512");
    CHECK(of("tuna", shape_of(Collective::alltoallv, 4096, 64)).back() == "tuna:direct_from=4096");
    CHECK(candidate_of(Collective::alltoallv, "tuna").needs_agreement());
    CHECK_FALSE(candidate_of(Collective::alltoallv, "tuna:direct_from=256").needs_agreement());
    CHECK_FALSE(candidate_of(Collective::alltoallv, "node_aware:radix=2:direct_from=auto").needs_agreement());
}

TEST_CASE("radices and variations", "[tune]") {
    const Shape shape = shape_of(Collective::alltoallv, 64, 8);
    const auto of = [](const char* text) { return candidate_of(Collective::alltoallv, text); };
    using Texts = std::vector<std::string>;
    CHECK(of("tuna").radix(shape) == 8);
    CHECK(of("tuna:radix=5").radix(shape) == 5);
    CHECK(of("pairwise").radix(shape) == 0);
    CHECK(of("tuna:radix=4x16").radix(shape) == 0);
    CHECK(Candidate("preloaded").radix(shape) == 0);
    CHECK(texts_of(near_radices(shape, of("tuna:radix=32"))) == Texts{"tuna:radix=23", "tuna:radix=45"});
    CHECK(texts_of(near_radices(shape, of("tuna:radix=2"))) == Texts{"tuna:radix=2", "tuna:radix=3"});
    CHECK(texts_of(near_radices(shape, of("tuna:radix=11"))) ==
          Texts{"tuna", "tuna:radix=16"}); // 8 is the preset
    const auto varied = texts_of(variations_of(shape, of("tuna:radix=5")));
    CHECK(contains(varied, "tuna:radix=5:in_flight=1"));
    CHECK_FALSE(contains(varied, "tuna:radix=5"));
    // A parameter that the candidate gives is not varied.
    CHECK(variations_of(shape, of("scattered:block_count=8")).empty());
    CHECK(texts_of(variations_of(shape, of("tuna:in_flight=1"))) ==
          Texts{"tuna:metadata=separate:in_flight=1"});
}

TEST_CASE("a candidate is an algorithm and the parameters that are given", "[tune]") {
    using algorithms::Parameter;
    const auto of = [](const char* text) { return candidate_of(Collective::alltoallv, text); };
    CHECK(of("tuna:direct_from=256:radix=5").text() == "tuna:radix=5:direct_from=256");
    CHECK(of("tuna:radix=5:direct_from=256").without(Parameter::direct_from) == of("tuna:radix=5"));
    CHECK(of("tuna:radix=5").without(Parameter::direct_from) == of("tuna:radix=5"));
    CHECK(of("tuna").with(Parameter::radix, 5) == of("tuna:radix=5"));
    CHECK(of("tuna:radix=5").takes(Parameter::direct_from));
    CHECK_FALSE(of("pairwise").takes(Parameter::direct_from));
    CHECK_FALSE(candidate_of(Collective::alltoall, "parameterized_bruck").takes(Parameter::direct_from));
    CHECK(of("tuna:radix=4x16").gives_any());
    CHECK_FALSE(of("tuna").gives_any());
    CHECK_FALSE(Candidate::read(Collective::alltoallv, "tuna:radix=1"));
    CHECK_FALSE(Candidate::read(Collective::alltoallv, "tuna:lanes=1"));
    CHECK_FALSE(Candidate::read(Collective::alltoallv, "preloaded"));
    CHECK(Candidate() == Candidate("native"));
}

TEST_CASE("a setting is combined with near radices and with borders", "[tune]") {
    const Shape shape = shape_of(Collective::alltoallv, 64, 8);
    const auto combined = [&](const char* text, std::size_t largest_block) {
        return texts_of(combinations_of(shape, candidate_of(Collective::alltoallv, text), largest_block));
    };
    using Texts = std::vector<std::string>;
    CHECK(combined("tuna:radix=4x16", 20) == Texts{"tuna:radix=4x16:direct_from=256"});
    // Blocks of up to 300 bytes: a border below them, and one above. 8 is the preset of the radix.
    CHECK(combined("tuna:radix=16", 300) ==
          Texts{"tuna:radix=16:direct_from=256", "tuna:radix=16:direct_from=1024", "tuna:direct_from=256",
                "tuna:direct_from=1024", "tuna:radix=32:direct_from=256", "tuna:radix=32:direct_from=1024"});
    CHECK(combined("node_aware:radix=2:intra=shared", 16) ==
          Texts{"node_aware:radix=2:intra=shared:direct_from=256",
                "node_aware:radix=4:intra=shared:direct_from=256"});
    CHECK(combined("tuna:radix=64", 16) ==
          Texts{"tuna:radix=64:direct_from=256", "tuna:radix=32:direct_from=256"});
    CHECK(combined("two_phase_bruck", 1 << 20).size() == 5);
    CHECK(combined("tuna:in_flight=1", 65536).size() == 15);
}

TEST_CASE("what is faster beyond the noise", "[tune]") {
    const std::vector<double> steady(100, 0.9), few = {0.9, 0.9, 0.9};
    CHECK(is_faster_than_native(estimate_of(steady, false)));
    CHECK_FALSE(is_faster_than_native(estimate_of(few, false))); // three may agree by chance
    CHECK(is_faster_than_native(estimate_of(few, true)));
    CHECK_FALSE(is_faster_than_native(estimate_of(std::vector<double>(100000, 0.98), false))); // not worth it
    CHECK_FALSE(is_faster_than_native(estimate_of({}, false)));
    std::vector<double> wild;
    for (int i = 0; i < 50; ++i) wild.push_back(i % 2 == 0 ? 0.3 : 1.5);
    const Estimate estimate = estimate_of(wild, false);
    CHECK(estimate.ratio == Approx(0.9));
    CHECK(estimate.spread == Approx(0.6));
    CHECK_FALSE(is_faster_than_native(estimate));
    CHECK_FALSE(is_slower_than_native(estimate));
    CHECK(is_slower_than_native(estimate_of(std::vector<double>(1000, 1.1), false)));
    CHECK_FALSE(is_slower_than_native(estimate_of(std::vector<double>(1000, 1.02), false)));
    CHECK(is_behind({1.2, 0, 0.01, 9}, {1.0, 0, 0.01, 9}));
    CHECK_FALSE(is_behind({1.2, 0, 0.1, 9}, {1.0, 0, 0.1, 9}));
}

TEST_CASE("grids", "[tune]") {
    const Shape world = {Collective::alltoallv, 16, 4, 4};
    CHECK(grid_of({}, world).size() == 25);
    const auto points = grid_of({{Collective::allgather}, {16, 6}, {8, 8, 64}, ""}, world);
    REQUIRE(points.size() == 4);
    CHECK(points[0].shape == Shape{Collective::allgather, 16, 4, 4});
    CHECK(points[2].shape == Shape{Collective::allgather, 6, 2, 4});
    CHECK(points[2].distribution == "equal");
    CHECK_THROWS_WITH(grid_of({{}, {17}, {}, ""}, world), ContainsSubstring("16 ranks"));
    CHECK_THROWS_WITH(grid_of({{}, {1}, {}, ""}, world), ContainsSubstring("2 to 16"));
}

TEST_CASE("which ranks make a smaller communicator", "[bench]") {
    const auto world = algorithms::NodeMap::blocks(12, 4);
    CHECK(bench::members_of(world, 3, 0) == std::vector<int>{0, 1, 2});
    CHECK(bench::members_of(world, 6, 2) == std::vector<int>{0, 1, 4, 5, 8, 9});
    CHECK(bench::members_of(world, 4, 2) == std::vector<int>{0, 1, 4, 5});
    CHECK(bench::members_of(world, 8, 2).size() == 6); // there are no more
    CHECK(bench::members_of(world, 20, 0).size() == 12);
}

TEST_CASE("the benchmark's words and answers", "[tune]") {
    Work work;
    work.point = point_of(Collective::alltoallv, 64);
    work.candidates = {candidate_of(Collective::alltoallv, "tuna:radix=2"),
                       candidate_of(Collective::alltoallv, "shared")};
    work.iterations = 7;
    const auto words = arguments_of({work, work});
    CHECK(std::ranges::count(words, "--then") == 1);
    CHECK(contains(words, "tuna:radix=2+shared"));
    const std::string line =
        R"({"environment":{"mpi":"Open\tMPI v4.1.4, package: x","ranks":8,"nodes":2,"ranks_per_node":4,"hosts":["a","b"],)"
        R"("date":"2026-01-02T00:00:00+0000","elapsed_seconds":0.5},"verified":true,"results":[)"
        R"({"median_us":10,"largest_block_bytes":61,"times_us":[10,20]},{"median_us":5,"largest_block_bytes":61,"times_us":[5,5]},)"
        R"({"median_us":20,"largest_block_bytes":61,"times_us":[20]}]})";
    const auto found = measurements_in(line, work);
    REQUIRE(found.has_value());
    REQUIRE(found->size() == 2);
    CHECK((*found)[0].ratios == std::vector<double>{0.5, 0.25});
    CHECK((*found)[1].candidate == "shared");
    CHECK((*found)[1].ratios == std::vector<double>{2});
    CHECK((*found)[1].native_us == 10);
    CHECK((*found)[1].largest_block == 61);
    CHECK((*found)[0].from_first == 10.0 / 30);
    CHECK((*found)[1].from_first == 2);
    std::string with_warmup = line;
    with_warmup.replace(with_warmup.find(R"("times_us":[5)"), 0, R"("warmup_us":[100],)");
    CHECK((*measurements_in(with_warmup, work))[0].from_first == 105.0 / 30);
    CHECK(place_in(line)->mpi == "Open MPI v4.1.4");
    CHECK(place_in(line)->nodes == 2);
    CHECK_FALSE(measurements_in("a warning of the launcher", work).has_value());
    CHECK_FALSE(measurements_in("{}", work).has_value());
    work.candidates.pop_back();
    CHECK_FALSE(measurements_in(line, work).has_value()); // of something else
    std::string wrong = line;
    wrong.replace(wrong.find("true"), 4, "false");
    work.candidates.emplace_back("shared");
    CHECK_THROWS_WITH(measurements_in(wrong, work), ContainsSubstring("wrong data"));
}

TEST_CASE("the journal goes on where it ended", "[tune]") {
    const tests::TemporaryFolder folder;
    const std::string file = folder / "a.json.tuning";
    const Point point = point_of(Collective::alltoallv, 64);
    const JournalHead head{here(), "", {point}};
    {
        Measurements measurements(false);
        Journal journal(file, head, measurements);
        journal.add(measured(point, "shared", {0.5, 0.75}));
        journal.add(measured(point, "agreement", {0.25}));
        journal.add_seconds(3);
    }
    std::ofstream(file, std::ios::app) << R"({"collective":"alltoall)"; // as a full disk leaves it
    {
        Measurements measurements(false);
        Journal journal(file, head, measurements);
        CHECK(measurements.count() == 2);
        REQUIRE(measurements.find(point, candidate_of(Collective::alltoallv, "shared")) != nullptr);
        CHECK(measurements.find(point, candidate_of(Collective::alltoallv, "shared"))->ratios ==
              std::vector<double>{0.5, 0.75});
        CHECK(measurements.agreement(point) == 0.25);
        CHECK(journal.seconds_before() == 3);
        journal.add(measured(point, "tuna", {0.9}));
    }
    Measurements measurements(false);
    const Journal journal(file, head, measurements);
    CHECK(measurements.count() == 3); // the torn line has spoiled no other
}

TEST_CASE("a journal whose passes are still called rounds goes on", "[tune]") {
    const tests::TemporaryFolder folder;
    const std::string file = folder / "a.json.tuning";
    const Point point = point_of(Collective::alltoallv, 64);
    const JournalHead head{here(), "", {point}};
    {
        Measurements measurements(false);
        Measurement second = measured(point, "shared", {0.5});
        second.pass = 2;
        Journal(file, head, measurements).add(second);
    }
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    std::string earlier = text.str();
    const auto key = earlier.find("\"pass\":2");
    REQUIRE(key != std::string::npos);
    std::ofstream(file) << earlier.replace(key, 8, "\"round\":2");
    Measurements measurements(false);
    const Journal journal(file, head, measurements);
    CHECK(measurements.count() == 1);
    CHECK(measurements.last_pass(point) == 2);
}

TEST_CASE("a journal of other circumstances is not mixed in", "[tune]") {
    const tests::TemporaryFolder folder;
    const std::string file = folder / "a.json.tuning";
    const Point point = point_of(Collective::alltoallv, 64);
    const JournalHead head{here(), "", {point}};
    {
        Measurements measurements(false);
        Journal(file, head, measurements).add_seconds(1);
    }
    CHECK(refused_journal(file, head) == "");
    JournalHead other = head;
    other.place.mpi = "Another MPI";
    CHECK(refused_journal(file, other).find("mpi \"Some MPI 1.0\", and here it is \"Another MPI\"") !=
          std::string::npos);
    other = head;
    other.points.push_back(point_of(Collective::alltoallv, 65));
    CHECK(refused_journal(file, other).find("another grid") != std::string::npos);
    other = head;
    other.place.hosts = {"there"};
    CHECK(refused_journal(file, other).find("hosts") != std::string::npos);
    other = head;
    other.platform = "polaris";
    CHECK(refused_journal(file, other).find("platform") != std::string::npos);
    std::ofstream(folder / "b.tuning") << "no JSON\n";
    CHECK(refused_journal(folder / "b.tuning", head).find("no journal") != std::string::npos);
    std::ofstream(file, std::ios::app) << R"({"collective":"alltoallv","ranks":8})" << '\n';
    CHECK(refused_journal(file, head).find("a line cannot be read") != std::string::npos);
}

TEST_CASE("a journal that cannot be written says so", "[tune]") {
    const tests::TemporaryFolder folder;
    Measurements measurements(false);
    Journal journal(folder / "no/such/folder", {here(), "", {}}, measurements);
    CHECK_THROWS_WITH(journal.add_seconds(1), ContainsSubstring("cannot write"));
}

TEST_CASE("points from a log are what took time, by its share", "[tune]") {
    tests::LogFolder folder;
    const auto calls = [&](const char* collective, int ranks, long block, double us, int count,
                           int nodes = 1) {
        for (int i = 0; i < count; ++i) {
            tests::LogLine line;
            line.collective = collective;
            line.ranks = ranks;
            line.nodes = nodes;
            line.block = block;
            line.mean_us = us;
            folder.line(line);
        }
    };
    calls("alltoallv", 4, 60, 10, 20);
    calls("alltoallv", 4, 64, 10, 10); // of the same power of two
    calls("allgather", 2, 8, 10, 20);  // half the ranks: half of the time that 10 more of 4 take
    calls("alltoall", 4, 8, 1, 1);     // next to nothing
    calls("alltoall", 16, 8, 10, 1);   // more than are started
    calls("alltoall", 4, 8, 10, 1, 2); // on more nodes than there are
    calls("alltoallv", 4, 0, 10, 1);
    calls("alltoallz", 4, 8, 10, 1);
    folder.finish(4, 1);
    const auto profile = shim::report::read_profile(shim::log::open_run(folder.path()));
    std::ostringstream notes;
    const auto points = points_of_log(profile, {Collective::alltoallv, 4, 1, 4}, notes);
    REQUIRE(points.size() == 2);
    CHECK(points[0].shape == Shape{Collective::alltoallv, 4, 1, 4});
    CHECK(points[0].max_block == 64);
    CHECK(points[0].weight == Approx(0.75));
    CHECK(points[0].distribution == "power_law"); // 12 of 3 * 64 bytes
    CHECK(points[1].shape.collective == Collective::allgather);
    CHECK(points[1].distribution == "equal");
    CHECK(points[0].weight + points[1].weight == Approx(1));
    for (const char* words :
         {"16 ranks, but the launcher starts 4", "without data", "of 2 nodes", "of alltoallz", "2 points"})
        CHECK(notes.str().find(words) != std::string::npos);
    CHECK_THROWS_WITH(points_of_log(profile, {Collective::alltoallv, 1, 1, 1}, notes),
                      ContainsSubstring("no calls are left"));
}

TEST_CASE("the calls of a point are those on one communicator", "[tune]") {
    tests::LogFolder folder;
    for (int comm = 0; comm < 40; ++comm)
        for (int seq = 1; seq <= 10; ++seq)
            folder.line({.collective = "alltoall", .comm = "0:" + std::to_string(comm), .seq = seq});
    for (int seq = 1; seq <= 100; ++seq) folder.line({.collective = "allgather", .seq = seq});
    folder.line({.collective = "alltoallv", .mean_us = 100, .calls = 70}); // a line of a summary
    folder.finish(4, 1);
    std::ostringstream notes;
    std::map<Collective, std::uint64_t> calls;
    for (const Point& point : points_of_log(shim::report::read_profile(shim::log::open_run(folder.path())),
                                            {Collective::alltoallv, 4, 1, 4}, notes))
        calls[point.shape.collective] = point.calls;
    CHECK(calls[Collective::alltoall] == 10);
    CHECK(calls[Collective::allgather] == 100);
    CHECK(calls[Collective::alltoallv] == 70);
}

TEST_CASE("a log that tells no nodes, or no time, is nothing to tune for", "[tune]") {
    std::ostringstream notes;
    const auto points_of = [&](const std::string& line) {
        tests::LogFolder folder;
        folder.raw(line + '\n');
        folder.finish(4, 1);
        const auto profile = shim::report::read_profile(shim::log::open_run(folder.path()));
        return points_of_log(profile, {Collective::alltoallv, 4, 1, 4}, notes);
    };
    CHECK_THROWS_WITH(
        points_of(R"({"collective":"alltoallv","ranks":4,"max_block_bytes":64,"time_us":{"mean":5}})"),
        ContainsSubstring("no calls are left"));
    CHECK(notes.str().find("nodes that the log does not tell") != std::string::npos);
    CHECK_THROWS_WITH(points_of(tests::LogLine{.mean_us = 0}.text()), ContainsSubstring("takes time"));
    CHECK_THROWS(points_of(tests::LogLine{.collective = R"(a\u001b[2J)", .mean_us = 1}.text()));
    CHECK(notes.str().find('\x1b') == std::string::npos);
}

TEST_CASE("a log of no calls is nothing to tune for", "[tune]") {
    tests::LogFolder folder;
    folder.finish(4, 1);
    const auto profile = shim::report::read_profile(shim::log::open_run(folder.path()));
    std::ostringstream notes;
    CHECK_THROWS_WITH(points_of_log(profile, {Collective::alltoallv, 4, 1, 4}, notes),
                      ContainsSubstring("no calls"));
}
