// Phases of an algorithm: their times, and what the report says of them.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/algorithm_phases.hpp"
#include "shim/report/files/report_file.hpp"

#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::algorithms::Phase;
using switchyard::algorithms::PhaseTimes;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::report_page;
using switchyard::tests::text_of;
using switchyard::tests::written;

namespace {

std::int64_t clock_reads = 0;

Profile timed(const std::vector<LogLine>& lines) {
    LogFolder folder;
    for (const auto& line : lines) folder.line(line);
    folder.finish(4, 10);
    return read_profile(log::open_run(folder.path()));
}

} // namespace

TEST_CASE("the phases of an exchange add up to its time", "[algorithm-phases]") {
    clock_reads = 0;
    PhaseTimes times([] { return clock_reads; });
    clock_reads = 5;
    times.enter(Phase::rearrange, 0);
    clock_reads = 20;
    times.enter(Phase::data, 0);
    clock_reads = 120;
    times.enter(Phase::rearrange, 3); // work that the clock does not know yet belongs to the phase before
    clock_reads = 130;
    times.end(0);
    CHECK(times.has_phases());
    CHECK(times.of(Phase::prepare) == 5);
    CHECK(times.of(Phase::rearrange) == 15 + 7);
    CHECK(times.of(Phase::data) == 103);
    CHECK(times.of(Phase::inter) == 0);
}

TEST_CASE("an algorithm that enters no phase has none", "[algorithm-phases]") {
    clock_reads = 0;
    PhaseTimes times([] { return clock_reads; });
    clock_reads = 70;
    times.end(0);
    CHECK_FALSE(times.has_phases());
    CHECK(times.of(Phase::prepare) == 0);
}

TEST_CASE("a report shows the phases of a log that has them", "[algorithm-phases]") {
    const auto profile =
        timed({{.ranks = 4, .more = R"("algorithm_us":{"data":6,"rearrange":1.5,"phase_of_2030":9},)"},
               {.ranks = 4, .more = R"("algorithm_us":{"data":12,"rearrange":0.5},)"}});
    REQUIRE(profile.groups.size() == 1);
    CHECK(phases_in(profile) == std::vector{Phase::data, Phase::rearrange});
    CHECK(phases_us_of_call(profile.groups[0]) == Approx(10));
    CHECK(share_of_phase(profile.groups[0], Phase::data) == "90.0%");
    CHECK(share_of_phase(profile.groups[0], Phase::inter) == "-");
    for (const auto& text : {text_of(profile), report_page(profile)}) {
        CHECK(has(text, algorithm_phases_title));
        CHECK(has(text, "90.0%"));
        CHECK(has(text, "rearrange: copies of blocks"));
    }
    const auto group = nlohmann::json::parse(written(write_json, profile))["groups"][0];
    CHECK(group["phase_data_us"].get<double>() == Approx(18));
    CHECK(group["phase_inter_us"].is_null());
}

TEST_CASE("a report of a log without phases does not mention them", "[algorithm-phases]") {
    const auto profile = timed({{.ranks = 4}});
    CHECK(phases_in(profile).empty());
    CHECK_FALSE(has(text_of(profile), algorithm_phases_title));
    CHECK_FALSE(has(report_page(profile), algorithm_phases_title));
}
