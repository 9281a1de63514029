// What `switchyard doctor` calls a finding, and what it does not.
#include "tests/support/catch.hpp"
#include "tests/support/texts.hpp"

#include "shim/bench/contenders.hpp"
#include "shim/tune/doctor_limits.hpp"
#include "shim/tune/findings.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace switchyard;
using namespace switchyard::shim::tune;
using switchyard::tests::has;

namespace {

constexpr auto repetitions = static_cast<std::size_t>(doctor_limits::repetitions);

void take(SurveyStep& step, double us) {
    step.native_us.assign(repetitions, us);
    step.fastest_us = step.native_us;
}

SurveyStep step(std::size_t block, double us) {
    SurveyStep step;
    step.block = block;
    take(step, us);
    return step;
}

// A healthy ladder: 10 us, and a nanosecond for each byte.
Series ladder(policy::Collective collective = policy::Collective::alltoallv, int ranks = 8) {
    Series series;
    series.communicator = "all ranks";
    series.shape = {collective, ranks, 1, ranks};
    for (std::size_t block = 1; block <= 65536; block *= 2)
        series.steps.push_back(step(block, 10 + 1e-3 * static_cast<double>(block)));
    return series;
}

SurveyStep& at(Series& series, std::size_t block) {
    return *std::ranges::find(series.steps, block, &SurveyStep::block);
}

void slow(Series& series, std::size_t first, std::size_t last, double times) {
    for (SurveyStep& step : series.steps)
        if (step.block >= first && step.block <= last) take(step, step.native_us.front() * times);
}

std::vector<Finding> found_in(const std::vector<Series>& series) {
    Survey survey;
    survey.series = series;
    return findings_in(survey);
}

std::vector<int> sizes_of(const std::vector<Members>& all) {
    std::vector<int> sizes;
    for (const Members& members : all) sizes.push_back(members.ranks);
    return sizes;
}

} // namespace

TEST_CASE("a healthy ladder has no finding") {
    CHECK(found_in({ladder()}).empty());
    CHECK(found_in({ladder(), ladder(policy::Collective::alltoallv, 4)}).empty());
    CHECK(found_in({}).empty());
    Series one = ladder();
    one.steps.resize(1);
    CHECK(found_in({one}).empty());
}

TEST_CASE("a cliff that ends") {
    Series series = ladder();
    slow(series, 1024, 4096, 20);
    const auto findings = found_in({series});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].blocks == std::vector<std::size_t>{1024, 2048, 4096});
    CHECK(findings[0].range.min == 725); // the geometric mean of 512 and 1024, and one
    CHECK(findings[0].range.max == 5792);
    CHECK(findings[0].beside == std::vector<std::size_t>{512, 8192});
    REQUIRE(findings[0].reasons.size() == 1);
    CHECK(findings[0].reasons[0].guideline == nullptr);
    CHECK(findings[0].text() == "alltoallv of 8 ranks on 1 node, blocks of 1024 to 4096 bytes");
    CHECK(points_of(findings[0]).size() == 3);
}

TEST_CASE("a cliff that does not end is one as long as smaller calls are faster together") {
    Series series = ladder();
    slow(series, 16384, 65536, 20);
    const auto findings = found_in({series});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].blocks == std::vector<std::size_t>{16384, 32768, 65536});
    CHECK(findings[0].range.max == 65536); // nothing is known about larger blocks
    CHECK(has(text_of(findings[0].reasons[0]), "calls of 8192 bytes"));
}

TEST_CASE("what the bytes explain is no cliff") {
    Series series = ladder();
    for (SurveyStep& step : series.steps) // as fast as one byte after the other
        take(step, 10 * static_cast<double>(step.block));
    CHECK(found_in({series}).empty());
}

TEST_CASE("a cliff holds in each repetition, and is about some time") {
    Series series = ladder();
    slow(series, 1024, 1024, 20);
    at(series, 1024).fastest_us.back() = 11; // on a busy machine, some calls take their usual time
    CHECK(found_in({series}).empty());

    Series quick = ladder();
    for (SurveyStep& step : quick.steps) take(step, 0.1);
    slow(quick, 64, 64, 20); // 2 us
    CHECK(found_in({quick}).empty());
    slow(quick, 64, 64, 10);
    CHECK(found_in({quick}).size() == 1);
}

TEST_CASE("the limit of a cliff") {
    Series series = ladder();
    take(at(series, 64), 10 * doctor_limits::cliff * 0.99);
    CHECK(found_in({series}).empty());
    take(at(series, 64), 10.2 * doctor_limits::cliff);
    CHECK(found_in({series}).size() == 1);
}

TEST_CASE("calls of more ranks that take less time show a cliff") {
    Series half = ladder(policy::Collective::alltoallv, 4);
    slow(half, 1, 65536, 20);
    const auto findings = found_in({ladder(), half});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].shape.ranks == 4);
    CHECK(has(text_of(findings[0].reasons[0]), "on 8 ranks"));
    // The other way round it shows nothing: more ranks move more.
    Series all = ladder();
    slow(all, 1, 65536, 20);
    CHECK(found_in({all, ladder(policy::Collective::alltoallv, 4)}).empty());
    // Nor does another collective, or a communicator on fewer nodes.
    half.shape.collective = policy::Collective::alltoall;
    CHECK(found_in({ladder(), half}).empty());
    half.shape = {policy::Collective::alltoallv, 4, 2, 2};
    CHECK(found_in({ladder(), half}).empty());
}

TEST_CASE("a broken guideline") {
    Series series = ladder(policy::Collective::alltoall);
    const std::string name = bench::name_as(policy::Collective::alltoallv);
    for (SurveyStep& step : series.steps) step.over[name].assign(repetitions, 1.1);
    CHECK(found_in({series}).empty());
    at(series, 256).over[name].assign(repetitions, 4);
    at(series, 512).over[name].assign(repetitions, 5);
    const auto findings = found_in({series});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].blocks == std::vector<std::size_t>{256, 512});
    REQUIRE(findings[0].reasons.size() == 1);
    CHECK(findings[0].reasons[0].block == 512);
    CHECK(std::abs(findings[0].worst().times() - 5) < 1e-9);
    CHECK(has(text_of(findings[0].reasons[0]), "MPI_Alltoallv with equal counts"));
    at(series, 256).over[name].back() = 1;
    at(series, 512).over[name].back() = 1;
    CHECK(found_in({series}).empty());
}

TEST_CASE("a general function may take longer than a special one") {
    Series series = ladder(policy::Collective::allgatherv);
    const std::string name = bench::name_as(policy::Collective::allgather);
    at(series, 256).over[name].assign(repetitions, doctor_limits::generality - 0.1);
    CHECK(found_in({series}).empty());
    at(series, 256).over[name].assign(repetitions, doctor_limits::generality + 0.1);
    CHECK(found_in({series}).size() == 1);
}

TEST_CASE("the worst finding comes first, and communicators that are alike count once") {
    Series series = ladder();
    slow(series, 16, 16, 5);
    slow(series, 1024, 1024, 50);
    const auto findings = found_in({series, series});
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].blocks == std::vector<std::size_t>{1024});
    CHECK(findings[1].blocks == std::vector<std::size_t>{16});
}

TEST_CASE("a second survey confirms a finding") {
    Series once = ladder(), twice = ladder();
    slow(once, 16, 16, 5);
    slow(once, 1024, 2048, 50);
    slow(twice, 2048, 4096, 50);
    const auto findings = confirmed(found_in({once}), found_in({twice}));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].blocks == std::vector<std::size_t>{1024, 2048});
    CHECK(confirmed(found_in({once}), {}).empty());
    CHECK(confirmed({}, found_in({twice})).empty());
    twice.shape.ranks = 4;
    CHECK(confirmed(found_in({once}), found_in({twice})).empty());
}

TEST_CASE("the communicators of a survey") {
    Place world;
    world.ranks = world.ranks_per_node = 2;
    CHECK(sizes_of(communicators_in(world)) == std::vector<int>{2});
    world.ranks = world.ranks_per_node = 4;
    CHECK(sizes_of(communicators_in(world)) == std::vector<int>{4, 2, 3});
    world = {"", "", 16, 4, 4, {}};
    CHECK(sizes_of(communicators_in(world)) == std::vector<int>{16, 8, 4, 4, 5});
    CHECK(communicators_in(world)[3].ranks_per_node == 1);
    world = {"", "", 4, 4, 1, {}}; // one of each node is all of them
    CHECK(sizes_of(communicators_in(world)) == std::vector<int>{4, 2, 3});
}

TEST_CASE("the ladder takes little memory") {
    CHECK(ladder_for(4).front() == 1);
    CHECK(ladder_for(4).back() == 262144);
    CHECK(ladder_for(4096).back() == 4096);
    CHECK(ladder_for(1 << 30) == std::vector<std::size_t>{1});
}

TEST_CASE("each guideline is a contender of its collective") {
    for (const Guideline& guideline : guidelines()) {
        const auto made =
            bench::contenders_of(guideline.collective, {guideline.contender}, {4, 1, 4}, true, false);
        REQUIRE(made.error() == nullptr);
        CHECK(made.value().back().needs_equal_blocks());
    }
    using policy::Collective;
    const auto why = [](Collective collective, const char* name) {
        const auto made = bench::contenders_of(collective, {name}, {4, 1, 4}, true, false);
        return made.error() == nullptr ? std::string() : *made.error();
    };
    CHECK(has(why(Collective::alltoall, "as_allgather"), "moves other data"));
    CHECK(has(why(Collective::alltoallv, "gather_and_bcast"), "moves other data"));
    CHECK(has(why(Collective::alltoall, "as_alltoall"), "is native"));
    CHECK(!why(Collective::alltoall, "as_reduce").empty());
}
