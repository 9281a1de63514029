// From measurements to the next ones, and to rules.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tune_points.hpp"

#include "shim/tune/candidates.hpp"
#include "shim/tune/combine.hpp"
#include "shim/tune/refuse.hpp"
#include "shim/tune/rules.hpp"
#include "shim/tune/schedule.hpp"
#include "shim/tune/write.hpp"

#include "policy/match.hpp"
#include "policy/parse.hpp"
#include "policy/prune.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace switchyard;
using namespace switchyard::shim::tune;
using policy::Collective;
using tests::candidate_of;
using tests::point_of;
using tests::texts_of;

namespace {

constexpr auto everything = policy::Range{};

std::vector<Point> points_of(Collective collective, const std::vector<std::size_t>& blocks, int ranks = 8) {
    std::vector<Point> points;
    for (const std::size_t block : blocks) points.push_back(point_of(collective, block, ranks));
    return points;
}

void measure(Measurements& measurements, const Point& point, const Candidate& candidate, double ratio,
             int pass = 1, int iterations = 400) {
    Measurement measurement;
    measurement.point = point;
    measurement.candidate = candidate;
    measurement.pass = pass;
    measurement.ratios.assign(static_cast<std::size_t>(iterations), ratio);
    measurement.median_us = 10 * ratio;
    measurement.native_us = 10;
    measurement.seconds_per_iteration = 1e-4 * ratio;
    measurement.largest_block = point.max_block;
    measurements.add(measurement);
}

void measure(Measurements& measurements, const Point& point, const char* candidate, double ratio,
             int pass = 1, int iterations = 400) {
    measure(measurements, point, candidate_of(point.shape.collective, candidate), ratio, pass, iterations);
}

Ruling only_rule(const std::vector<Ruling>& rules) {
    REQUIRE(rules.size() == 1);
    return rules.front();
}

} // namespace

TEST_CASE("no rule that is not better than native beyond the noise", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8, 64, 512});
    Measurements measurements(false);
    measure(measurements, points[0], "spread_out", 0.99);
    measure(measurements, points[1], "spread_out", 0.5, 1, 2); // two iterations are an accident
    measure(measurements, points[2], "spread_out", 1.5);
    CHECK(rules_of(points, measurements, {}).empty());
}

TEST_CASE("neighbouring sizes with one winner are one range", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8, 64, 512, 4096});
    Measurements measurements(false);
    for (const Point& point : points) {
        measure(measurements, point, "spread_out", point.max_block < 512 ? 0.7 : 1.2);
        measure(measurements, point, "pairwise", point.max_block < 512 ? 1.2 : 0.8);
    }
    const auto rules = rules_of(points, measurements, {});
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].candidate == "spread_out");
    CHECK(rules[0].blocks == policy::Range{0, 181}); // sqrt(64 * 512)
    CHECK(rules[1].candidate == "pairwise");
    CHECK(rules[1].blocks == policy::Range{182, 4096});
    CHECK(rules[0].ranks == policy::Range{8, 8});
    CHECK(rules[0].evidence.size() == 2);
}

TEST_CASE("what the noise does not tell apart is merged", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8, 64, 512});
    Measurements measurements(false);
    const double best[] = {0.70, 0.71, 0.70}, other[] = {0.71, 0.70, 0.71};
    for (std::size_t i = 0; i < points.size(); ++i) {
        measure(measurements, points[i], "spread_out", best[i]);
        measure(measurements, points[i], "pairwise", other[i]);
    }
    CHECK(only_rule(rules_of(points, measurements, {})).candidate == "spread_out");
    measure(measurements, points[1], "modified_bruck", 0.4); // clearly better there
    const auto rules = rules_of(points, measurements, {});
    REQUIRE(rules.size() == 3);
    CHECK(rules[1].candidate == "modified_bruck");
}

TEST_CASE("native in the middle leaves a gap", "[tune]") {
    const auto points = points_of(Collective::allgather, {8, 64, 512});
    Measurements measurements(false);
    measure(measurements, points[0], "ring", 0.5);
    measure(measurements, points[1], "ring", 1.1);
    measure(measurements, points[2], "ring", 0.5);
    const auto rules = rules_of(points, measurements, {});
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].blocks == policy::Range{0, 22});
    CHECK(rules[1].blocks == policy::Range{182, 512});

    SECTION("a size that was refused is native") {
        Refusals refusals;
        refusals.points.insert(points[0]);
        CHECK(only_rule(rules_of(points, measurements, refusals)).blocks.min == 182);
    }
    SECTION("where native beside rules costs more than a candidate, that is taken") {
        measure(measurements, points[1], "ring", 1.02, 2, 4000);
        Refusals refusals;
        refusals.beside[points[1]] = 1.1;
        CHECK(only_rule(rules_of(points, measurements, refusals)).blocks == policy::Range{0, 512});
        refusals.beside[points[1]] = 1.01;
        CHECK(rules_of(points, measurements, refusals).size() == 2);
    }
}

TEST_CASE("an alltoallv that wins everywhere without agreement looks at no block", "[tune]") {
    const auto points = points_of(Collective::alltoallv, {8, 64});
    Measurements measurements(false);
    for (const Point& point : points) {
        measure(measurements, point, "shared", 0.8);
        measure(measurements, point, "tuna:radix=2", 0.75);
        measure(measurements, point, "agreement", 0.2);
    }
    const Ruling rule = only_rule(rules_of(points, measurements, {}));
    CHECK(rule.candidate == "tuna:radix=2"); // measured with its agreement
    CHECK(rule.looks_at_block());
    measure(measurements, points[0], "tuna:radix=2", 0.81, 2, 4000); // 0.775 in the mean, within 3 % of 0.8
    const auto rules = rules_of(points, measurements, {});
    CHECK(only_rule(rules).candidate == "shared");
    CHECK(only_rule(rules).blocks == everything);
    CHECK(points_beyond({rule}, points).empty()); // it has bounds
    const auto beyond = points_beyond(rules, points);
    REQUIRE(beyond.size() == 1);
    CHECK(beyond.front().max_block == 32 * 64);
    CHECK(beyond.front().weight == 0);
}

TEST_CASE("a rule without bounds that is slower with larger blocks goes", "[tune]") {
    const auto points = points_of(Collective::alltoallv, {8, 64});
    Measurements measurements(false);
    for (const Point& point : points) measure(measurements, point, "shared", 0.8);
    Refusals refusals;
    const auto rules = rules_of(points, measurements, refusals);
    auto all = points;
    for (const Point& point : points_beyond(rules, points)) all.push_back(point);
    std::map<Point, Measurement> verified;
    for (const Point& point : all) verified[point].ratios.assign(1000, point.weight == 0 ? 1.2 : 0.8);
    CHECK(refuse(all, rules, verified, refusals).size() == 1);
    CHECK(rules_of(points, measurements, refusals).empty());
}

TEST_CASE("a rule that loses from the first call on goes, though each later call is faster", "[tune]") {
    for (const auto collective : {Collective::alltoall, Collective::alltoallv}) {
        const auto points = points_of(collective, {8, 64});
        Measurements measurements(false);
        for (const Point& point : points) measure(measurements, point, "shared", 0.5);
        for (const double from_first : {0.0, 0.8, 1.2}) { // 0: not known
            Refusals refusals;
            const auto rules = rules_of(points, measurements, refusals);
            REQUIRE(rules.size() == 1);
            auto all = points;
            for (const Point& point : points_beyond(rules, points)) all.push_back(point);
            std::map<Point, Measurement> verified;
            for (const Point& point : all) {
                verified[point].ratios.assign(1000, 0.5);
                verified[point].from_first = from_first;
            }
            CHECK(refuse(all, rules, verified, refusals).empty() == (from_first < 1));
            CHECK(rules_of(points, measurements, refusals).empty() == (from_first > 1));
        }
    }
}

TEST_CASE("a size of few calls does not pay alone for what all sizes of its communicator share", "[tune]") {
    auto points = points_of(Collective::alltoall, {8, 64});
    points[0].weight = 0.1;
    points[1].weight = 0.9;
    Measurements measurements(false);
    for (const Point& point : points) measure(measurements, point, "shared", 0.5);
    for (const double of_many : {0.6, 1.1}) {
        Refusals refusals;
        const auto rules = rules_of(points, measurements, refusals);
        std::map<Point, Measurement> verified;
        for (const Point& point : points) verified[point].ratios.assign(1000, 0.5);
        verified[points[0]].from_first = 3; // of few calls
        verified[points[1]].from_first = of_many;
        CHECK(refuse(points, rules, verified, refusals).empty() == (of_many < 1));
    }
}

TEST_CASE("what an application's calls take follows from the first ones and a median", "[tune]") {
    std::vector<double> native(100, 10), ours(100, 5);
    CHECK(ratio_from_first(ours, native, 0) == 0.5);
    ours[0] = 505;
    CHECK(ratio_from_first(ours, native, 0) == 1);
    CHECK(ratio_from_first(ours, native, 10) == 5.5);
    CHECK(ratio_from_first(ours, native, 1000) == 0.55);
    ours[90] = 1e6; // a disturbance
    CHECK(ratio_from_first(ours, native, 0) == 1);
    CHECK(ratio_from_first(ours, native, 100'000) < 0.51);
    CHECK(ratio_from_first({5}, {10}, 100) == 0.5);
    CHECK(ratio_from_first({5}, {}, 100) == 0);
    CHECK(ratio_from_first({5}, {0}, 100) == 0);
}

TEST_CASE("a rule without bounds is unproven until it was measured at every size and beyond", "[tune]") {
    const auto points = points_of(Collective::alltoallv, {8, 64});
    Measurements measurements(false);
    for (const Point& point : points) {
        measure(measurements, point, "shared", 0.8);
        measure(measurements, point, "tuna:radix=2", 0.5);
    }
    std::map<Point, Measurement> verified;
    Refusals refusals;
    const auto ranges = rules_of(points, measurements, refusals);
    REQUIRE(only_rule(ranges).looks_at_block());
    CHECK(unproven_shapes(points, ranges, verified).empty()); // it says so itself
    const std::set<Shape> shape{points[0].shape};
    CHECK(unproven_shapes(points, ranges, verified, ToProve::all_rules) == shape); // the model chose it

    // The last proof refuses the ranges, and `shared` comes instead.
    for (const Point& point : points) verified[point].ratios.assign(1000, 1.2);
    CHECK(refuse(points, ranges, verified, refusals).size() == 1);
    const auto rules = rules_of(points, measurements, refusals);
    CHECK(only_rule(rules).candidate == "shared");
    CHECK(unproven_shapes(points, rules, verified) == shape); // larger blocks
    for (const Point& point : points_beyond(rules, points)) verified[point].ratios.assign(1000, 1);
    CHECK(unproven_shapes(points, rules, verified).empty());
    verified.erase(points[1]);
    refusals.shapes.merge(unproven_shapes(points, rules, verified));
    CHECK(rules_of(points, measurements, refusals).empty());
}

TEST_CASE("rules of alltoallv that look at the block must pay for the agreement everywhere", "[tune]") {
    const auto points = points_of(Collective::alltoallv, {8, 64});
    Measurements measurements(false);
    measure(measurements, points[0], "tuna:radix=2", 0.5);
    measure(measurements, points[1], "tuna:radix=2", 1.3);
    measure(measurements, points[1], "spread_out", 0.9);
    for (const Point& point : points) measure(measurements, point, "agreement", 0.2);
    // At 64 bytes nothing pays for it: no rule at all, as native would become slower there.
    CHECK(rules_of(points, measurements, {}).empty());

    measure(measurements, points[1], "spread_out", 0.6, 2, 4000);
    const auto rules = rules_of(points, measurements, {});
    REQUIRE(rules.size() == 2);
    CHECK(rules[1].candidate == "spread_out");
    CHECK(rules[1].evidence.front().estimate.ratio == Approx(0.8)); // with the agreement

    Refusals refusals;
    refusals.without_blocks.insert(points[0].shape);
    CHECK(rules_of(points, measurements, refusals).empty());
    refusals.without_blocks.clear();
    refusals.shapes.insert(points[0].shape);
    CHECK(rules_of(points, measurements, refusals).empty());
}

TEST_CASE("neighbouring numbers of ranks that agree are one rule", "[tune]") {
    std::vector<Point> points;
    Measurements measurements(false);
    for (const int ranks : {4, 8, 16})
        for (const Point& point : points_of(Collective::alltoall, {8, 64}, ranks)) {
            points.push_back(point);
            measure(measurements, point, ranks == 16 ? "pairwise" : "spread_out", 0.5);
        }
    auto rules = rules_of(points, measurements, {});
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].ranks == policy::Range{4, 8});
    CHECK(rules[0].ranks_per_node == policy::Range{4, 8});
    CHECK(rules[0].evidence.size() == 4);
    CHECK(rules[1].ranks == policy::Range{16, 16});

    for (const Point& point : points_of(Collective::alltoall, {8, 64}, 8))
        measure(measurements, point, "modified_bruck", 0.3);
    rules = rules_of(points, measurements, {}); // 4 and 16 are no neighbours
    CHECK(rules.size() == 3);
}

TEST_CASE("the policy is valid and says where it comes from", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8, 64, 512});
    Measurements measurements(false);
    measure(measurements, points[0], "parameterized_bruck:radix=2", 0.5);
    measure(measurements, points[1], "parameterized_bruck:radix=2", 0.5);
    measure(measurements, points[2], "pairwise", 0.9);
    const auto rules = rules_of(points, measurements, {});
    Circumstances circumstances;
    circumstances.place = {"Open MPI v4.1.4", "2026-01-02T03:04:05+0000", 8, 1, 8, {"here"}};
    for (const Point& point : points) circumstances.verified[point] = {{0.61, 0.02, 0.01, 77}};
    const auto parsed = policy::parse(policy_text(rules, circumstances));
    REQUIRE(parsed);
    const auto& policy = parsed.value();
    REQUIRE(policy.rules.size() == 2);
    CHECK(policy.rules[0].name == "alltoall, 8 ranks on 1 node, up to 181 bytes");
    CHECK(policy.rules[0].use.algorithm == "parameterized_bruck");
    const std::string because = policy.rules[0].because;
    for (const char* words : {"0.61 of native's time at 8 bytes (MAD 0.02, 77 iterations)", "2026-01-02",
                              "on here", "Open MPI v4.1.4", "everything included"})
        CHECK(because.find(words) != std::string::npos);
    CHECK(policy.otherwise.algorithm == "native");

    policy::Features call;
    call.collective = Collective::alltoall;
    call.ranks = call.ranks_per_node = 8;
    call.max_block_bytes = 100;
    const auto plan = policy::prune(policy, call);
    CHECK(plan.candidates[policy::choose(plan, call).candidate].choice.algorithm->name ==
          "parameterized_bruck");
}

TEST_CASE("a policy is written whole or not at all", "[tune]") {
    const tests::TemporaryFolder folder;
    write_policy(folder / "a.json", "one");
    write_policy(folder / "a.json", "two");
    std::string text;
    std::ifstream(folder / "a.json") >> text;
    CHECK(text == "two");
    CHECK_THROWS_WITH(write_policy(folder / "no/a.json", "x"), ContainsSubstring("cannot write"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    CHECK(why_not_writable(folder / "b.json") == "");
    CHECK(why_not_writable(folder / "no/b.json").find("no folder") != std::string::npos);
    CHECK(why_not_writable(folder.path()).find("is a folder") != std::string::npos);
}

TEST_CASE("halving: all, then the better half, then what is close", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8});
    Measurements measurements(false);
    const Halving halving(points, measurements);
    const auto all = candidates_of(points[0].shape);
    auto works = halving.next(100, 1);
    REQUIRE(works.size() == 1);
    CHECK(works[0].candidates == all);
    CHECK(works[0].pass == 1);
    CHECK(works[0].time_limit > 0);

    for (std::size_t i = 0; i < all.size(); ++i)
        measure(measurements, points[0], all[i], 0.80 + 0.001 * static_cast<double>(i), 1, 4);
    works = halving.next(100, 1);
    REQUIRE(works.size() == 1);
    CHECK(works[0].candidates.size() == (all.size() + 1) / 2);
    CHECK(works[0].candidates.front() == all.front());
    CHECK(works[0].pass == 2);
    CHECK(works[0].iterations > 4);
    CHECK(works[0].seconds < 100);

    // The second pass tells them apart: one is far ahead of the others.
    for (const Candidate& candidate : works[0].candidates)
        measure(measurements, points[0], candidate, candidate == all[1] ? 0.5 : 0.9, 2, 4000);
    CHECK(halving.open_at(points[0]).empty()); // and is known well enough
    CHECK(halving.next(100, 1).empty());
}

TEST_CASE("a point where all are slower than native is done", "[tune]") {
    const auto points = points_of(Collective::allgather, {8, 64});
    Measurements measurements(false);
    for (const Candidate& candidate : candidates_of(points[0].shape))
        measure(measurements, points[0], candidate, 2, 1, 50);
    const Halving halving(points, measurements);
    CHECK(halving.open_at(points[0]).empty());
    const auto works = halving.next(10, 1);
    REQUIRE(works.size() == 1);
    CHECK(works[0].point == points[1]);
}

TEST_CASE("an alltoallv that may serve all sizes stays in at each", "[tune]") {
    const auto points = points_of(Collective::alltoallv, {8, 64});
    Measurements measurements(false);
    for (const Candidate& candidate : candidates_of(points[0].shape))
        for (const Point& point : points)
            measure(measurements, point, candidate,
                    candidate == "shared"         ? 0.9
                    : candidate.needs_agreement() ? 0.3
                                                  : 1.5,
                    1, 8);
    for (const Point& point : points) {
        const auto open = texts_of(Halving(points, measurements).open_at(point));
        CHECK(std::ranges::find(open, "shared") != open.end());
    }
}

TEST_CASE("the budget is divided over what is open", "[tune]") {
    const auto points = points_of(Collective::alltoall, {8, 64});
    Measurements measurements(false);
    for (const Point& point : points)
        for (const Candidate& candidate : candidates_of(point.shape))
            measure(measurements, point, candidate, 0.9, 1, 4);
    double seconds = 0;
    const Halving halving(points, measurements);
    for (const Work& work : halving.next(20, 1)) {
        CHECK(work.seconds < 20);
        seconds += work.seconds;
    }
    CHECK(seconds < 20.0 / halving.passes_left() + 1);
    // Out of time: one iteration of each, not none and not thousands.
    for (const Work& work : halving.next(0, 1)) CHECK(work.iterations == 1);
}

namespace {

// Blocks of 16 bytes to 32 KiB on 16 ranks of 4 nodes. The best: radix 2 in node_aware, 8 in tuna.
std::vector<Point> combinable_points() {
    auto points = points_of(Collective::alltoallv, {16, 1024, 32768}, 16);
    for (Point& point : points) point.shape = {Collective::alltoallv, 16, 4, 4};
    return points;
}

double before_borders(const Candidate& candidate, const Point& point) {
    if (point.max_block == 32768) return 3; // forwarding does not pay there
    if (candidate == "node_aware:radix=2:intra=shared") return 0.5;
    if (candidate == "tuna:radix=8") return point.max_block == 16 ? 0.6 : 0.95;
    if (candidate == "tuna_staggered") return 0.9;
    return 1.02;
}

} // namespace

TEST_CASE("the second pass combines the best radices with borders", "[tune]") {
    const auto points = combinable_points();
    Measurements measurements(false);
    const Halving halving(points, measurements);
    for (const Point& point : points)
        for (const Candidate& candidate : candidates_of(point.shape))
            measure(measurements, point, candidate, before_borders(candidate, point), 1, 20);
    CHECK(texts_of(best_settings(points[0].shape, points, measurements)) ==
          std::vector<std::string>{"node_aware:radix=2:intra=shared", "tuna:radix=8", "tuna_staggered"});
    for (const Point& point : points) {
        INFO(point.text());
        const auto open = halving.open_at(point);
        for (const char* radix : {"node_aware:radix=2:intra=shared", "node_aware:intra=shared", // half of 8
                                  "tuna:radix=8", "tuna", "tuna:radix=16"})
            for (const char* border : {"256", "1024", "4096", "16384", "65536"}) {
                const auto combined =
                    candidate_of(Collective::alltoallv, std::string(radix) + ":direct_from=" + border);
                INFO(combined.text());
                CHECK((std::ranges::find(open, combined) != open.end() ||
                       measurements.find(point, combined) != nullptr));
            }
        const auto fresh = std::ranges::count_if(
            open, [&](const auto& candidate) { return measurements.find(point, candidate) == nullptr; });
        CHECK(fresh > 20);
        CHECK(fresh <= 45);
    }

    // A run that is stopped after one size goes on with the same candidates at the others.
    const auto first = halving.open_at(points[0]);
    for (const Candidate& candidate : first) measure(measurements, points[0], candidate, 0.7, 2, 100);
    for (const Candidate& candidate : first)
        if (candidate.gives(algorithms::Parameter::direct_from)) {
            const auto open = halving.open_at(points[2]);
            CHECK((std::ranges::find(open, candidate) != open.end() ||
                   measurements.find(points[2], candidate) != nullptr));
        }
    // The third pass combines nothing more.
    CHECK(halving.open_at(points[0]).size() <= (first.size() + 1) / 2 + 1);
}

TEST_CASE("where no setting saves anything, nothing is combined", "[tune]") {
    const auto points = combinable_points();
    Measurements measurements(false);
    for (const Point& point : points)
        for (const Candidate& candidate : candidates_of(point.shape)) {
            measure(measurements, point, candidate, 1.3, 1, 20);
            measure(measurements, point, "agreement", 0.2, 1, 20);
        }
    CHECK(combinations_for(points[0].shape, points, measurements).empty());
    measure(measurements, points[0], "tuna", 1.1, 2, 4000); // 0.9 without the agreement
    CHECK(texts_of(best_settings(points[0].shape, points, measurements)) == std::vector<std::string>{"tuna"});
}

TEST_CASE("a simulated search finds radix and border together, the same at all sizes", "[tune]") {
    const auto points = combinable_points();
    for (const int best_radix : {2, 5, 16}) {
        Measurements measurements(true);
        const Halving halving(points, measurements, Evaluations::costly);
        std::map<Point, std::set<Candidate>> tried;
        double least = 9;
        for (auto works = halving.next(0, 0); !works.empty(); works = halving.next(0, 0))
            for (const Work& work : works)
                for (const Candidate& candidate : work.candidates) {
                    REQUIRE(tried[work.point].insert(candidate).second); // nothing twice
                    double ratio = 1;
                    if (candidate.algorithm() == "tuna") {
                        const auto radix = static_cast<double>(candidate.radix(work.point.shape));
                        ratio = 0.5 + 0.1 * std::abs(std::log2(radix / best_radix));
                    }
                    if (candidate.text().ends_with(":direct_from=4096")) ratio *= 0.5;
                    least = std::min(least, ratio);
                    measure(measurements, work.point, candidate, ratio, work.pass, 1);
                }
        INFO(best_radix << ": " << tried[points[0]].size() << " evaluations");
        CHECK(least < 0.28);
        std::set<Candidate> with_border;
        for (const Candidate& candidate : tried[points[0]])
            if (candidate.gives(algorithms::Parameter::direct_from)) with_border.insert(candidate);
        CHECK(with_border.size() <= 45);
        for (const Point& point : points)
            for (const Candidate& candidate : with_border) CHECK(tried[point].contains(candidate));
        CHECK(tried[points[0]].size() < 80);
    }
}

TEST_CASE("the search for a radix comes near the best in few evaluations", "[tune]") {
    std::vector<Point> points = {point_of(Collective::alltoallv, 16, 256)};
    points[0].shape = {Collective::alltoallv, 256, 8, 32};
    for (const int best : {2, 11, 23, 90, 256}) {
        Measurements measurements(true);
        const Halving halving(points, measurements, Evaluations::costly);
        std::size_t evaluations = 0;
        double least = 9;
        for (auto works = halving.next(0, 0); !works.empty(); works = halving.next(0, 0)) {
            REQUIRE(works.size() == 1);
            for (const Candidate& candidate : works[0].candidates) {
                ++evaluations;
                double ratio = 1;
                if (candidate.algorithm() == "tuna")
                    ratio = 0.1 + 0.1 * std::abs(std::log2(
                                            static_cast<double>(candidate.radix(points[0].shape)) / best));
                least = std::min(least, ratio);
                measure(measurements, points[0], candidate, ratio, works[0].pass, 1);
            }
            REQUIRE(evaluations < 60);
        }
        INFO(best << ": " << evaluations << " evaluations");
        CHECK(least < 0.15);
    }
}
