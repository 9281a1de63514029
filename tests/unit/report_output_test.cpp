// What a report writes for programs and browsers: CSV, JSON, traces, comparisons, files.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"

#include "shim/common/whole_file.hpp"
#include "shim/report/axis.hpp"
#include "shim/report/compare.hpp"
#include "shim/report/csv.hpp"
#include "shim/report/palette.hpp"
#include "shim/report/rank_lines.hpp"
#include "shim/report/svg.hpp"
#include "shim/report/table_file.hpp"
#include "shim/report/trace.hpp"
#include "shim/report/units.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::TemporaryFolder;

namespace {

Profile profile_of(const LogFolder& folder) {
    return read_profile(log::open_run(folder.path()));
}

template <typename Write, typename... Arguments>
std::string written(Write write, const Arguments&... arguments) {
    std::ostringstream out;
    write(arguments..., out);
    return out.str();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// A rule that would break out of whatever it is put into without escaping.
const std::string nasty = R"(<script>alert(1)</script>, \"a\" & 'b')";

} // namespace

TEST_CASE("CSV has a line per group under the keys of JSON", "[report]") {
    LogFolder folder;
    folder.line(LogLine{.algorithm = "tuna", .rule = nasty, .mean_us = 20});
    folder.line(LogLine{.block = 4096, .mean_us = 10});
    folder.finish(4, 0.001);
    const auto profile = profile_of(folder);
    const auto lines = lines_of(written(write_csv, profile));
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].find(R"("<script>alert(1)</script>, ""a"" & 'b'")") != std::string::npos);

    const auto report = json::parse(written(write_json, profile));
    CHECK(report["format"] == "switchyard report 1");
    CHECK(report["totals"]["calls"] == 2);
    CHECK(report["totals"]["routed"] == 1);
    CHECK(report["run"]["wall_us"] == 1000);
    REQUIRE(report["groups"].size() == 2);
    const auto& group = report["groups"][0];
    CHECK(group["rule"] == R"(<script>alert(1)</script>, "a" & 'b')");
    CHECK(group["algorithm"] == "tuna");
    CHECK(group["parameters"] == "radix=4");
    CHECK(group["median_us"] == 20);
    CHECK(group["wall_share"] == Approx(0.02));
    CHECK(report["groups"][1]["rule"].is_null());
    CHECK(static_cast<std::size_t>(std::ranges::count(lines[0], ',')) + 1 == group.size());
    for (const auto& [name, value] : group.items()) CHECK(lines[0].find(name) != std::string::npos);

    CHECK(csv_field("plain") == "plain");
    CHECK(csv_field("a\nb") == "\"a\nb\"");
}

TEST_CASE("CSV and JSON of no calls are well formed", "[report]") {
    LogFolder folder;
    folder.finish(4, 1);
    const auto profile = profile_of(folder);
    CHECK(lines_of(written(write_csv, profile)).size() == 1);
    CHECK(json::parse(written(write_json, profile))["groups"].empty());
}

TEST_CASE("a trace has a track per communicator and per rank, and no two things at once on one", "[report]") {
    LogFolder folder;
    for (int i = 0; i < 5; ++i) // each takes 20 us at most and the next one begins after 15
        folder.line(LogLine{.rule = nasty, .mean_us = 10, .begin_us = 15.0 * i});
    folder.line(LogLine{.begin_us = 7, .comm = "0:1"});
    folder.raw("torn");
    folder.finish(2, 1);
    for (int rank : {0, 1})
        std::ofstream(folder / ("rank-" + std::to_string(rank) + ".jsonl"))
            << R"({"world_rank":)" << rank
            << R"(,"comm":"world","seq":1,"collective":"alltoallv","begin_us":3,"time_us":7.5})"
            << "\n{torn";
    std::ofstream(folder / "rank-x.jsonl") << "not one of ours";
    CHECK(ranks_with_lines(folder.path()) == std::vector<int>{0, 1});

    const auto trace = json::parse(written(write_trace, log::open_run(folder.path())));
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    std::size_t names = 0;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "X")
            tracks[{event["pid"], event["tid"]}].emplace_back(event["ts"], event["dur"]);
        else
            ++names;
    }
    CHECK(names == 6);
    REQUIRE(tracks.size() == 4);
    const auto& world = tracks[{1, 1}];
    REQUIRE(world.size() == 5);
    for (std::size_t i = 0; i + 1 < world.size(); ++i)
        CHECK(world[i].first + world[i].second <= world[i + 1].first);
    CHECK(world.back().second == 20);
    CHECK(tracks[{2, 2}][0].second == 7.5);
}

TEST_CASE("a summary makes no trace", "[report]") {
    LogFolder folder("summary.jsonl");
    folder.line(LogLine{.calls = 5});
    folder.finish(4, 1);
    std::ostringstream out;
    CHECK_THROWS_WITH(write_trace(log::open_run(folder.path()), out), ContainsSubstring("is a summary"));
}

TEST_CASE("records of another version are refused, and those of a rank that wrote none are no obstacle",
          "[report]") {
    LogFolder folder;
    folder.run_json(R"({"switchyard":"0.1.0","complete":false,"ranks":1})");
    std::filesystem::create_directory(folder / "ranks");
    std::ofstream(folder / "ranks/0.calls") << std::string(64, '\0');
    CHECK(profile_of(folder).calls == 0);
    std::ofstream(folder / "ranks/1.calls") << "switchyard rec9" << std::string(64, '\1');
    CHECK_THROWS_WITH(profile_of(folder), ContainsSubstring("another version of switchyard"));
}

TEST_CASE("two logs are compared by collective, ranks and blocks, however calls were done", "[report]") {
    LogFolder first, second;
    for (int i = 0; i < 3; ++i) {
        first.line(LogLine{.mean_us = 10.0 + i});
        second.line(LogLine{.algorithm = "tuna", .rule = "small", .mean_us = 5.5});
    }
    first.line(LogLine{.collective = "allgather", .mean_us = 90});
    second.line(LogLine{.ranks = 2});
    first.finish(4, 1);
    second.finish(4, 1);
    const auto a = profile_of(first), b = profile_of(second);
    const auto groups = compare(a, b);
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].in_both());
    CHECK(groups[0].ratio() == Approx(0.5));
    CHECK(groups[0].mean_ratio() == Approx(0.5));
    CHECK(groups[0].sides[0].algorithms == "native");
    CHECK(groups[0].sides[1].algorithms == "tuna radix=4");
    CHECK(groups[1].collective == "allgather");
    CHECK(groups[1].ratio() == 0);

    const auto text = written(print_comparison, Profiles{&a, &b});
    for (const char* part : {"native -> tuna radix=4", "0.50", "Only in A", "Only in B"})
        CHECK(count(text, part) == 1);
    CHECK(lines_of(written(write_comparison_csv, Profiles{&a, &b})).size() == 4);
    const auto report = json::parse(written(write_comparison_json, Profiles{&a, &b}));
    CHECK(report["groups"][0]["median_ratio"] == Approx(0.5));
    CHECK(report["groups"][1]["median_ratio"].is_null());
    CHECK(report["groups"][1]["in"] == "a");
    CHECK(report["groups"][2]["in"] == "b");
    CHECK(json::parse(written(write_comparison_json, Profiles{&a, &a}))["groups"][0]["median_ratio"] == 1);
}

TEST_CASE("axes, ramps and escapes", "[report]") {
    const Axis axis(0, 10, 100, 200);
    CHECK(axis.pixel(5) == 150);
    CHECK(axis.pixel(11) == 200);
    CHECK(axis.ticks(5) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(ramp(0) == "#440154");
    CHECK(ramp(1) == "#fde725");
    CHECK(two_sided_ramp(0) == "#ffffff");
    CHECK(tint("#0072b2", 1) == "#0072b2");
    CHECK(ink_on_ramp(0) == "#ffffff");
    CHECK(ink_on_ramp(1) == "#111418");
    CHECK(markup("<a b='c'>&\"\x01") == "&lt;a b=&#39;c&#39;&gt;&amp;&quot;?");
}

TEST_CASE("a file is there as a whole or not at all", "[report]") {
    TemporaryFolder folder;
    namespace fs = std::filesystem;
    const auto files = [&] {
        return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
    };
    {
        WholeFile file(folder / "page.html");
        file.stream() << "half";
    }
    CHECK(files() == 0);
    {
        WholeFile file(folder / "page.html");
        file.stream() << "whole";
        CHECK_FALSE(fs::exists(folder / "page.html"));
        file.keep();
    }
    CHECK(files() == 1);
    CHECK_FALSE(write_whole(folder / "page.html", "other"));
    std::string text;
    std::getline(std::ifstream(folder / "page.html"), text);
    CHECK(text == "other");
    CHECK(write_whole(folder / "none/page.html", "text") == std::errc::no_such_file_or_directory);
    CHECK(files() == 1);
    WholeFile full("/dev/full");
    full.stream() << "text";
    CHECK_THROWS_WITH(full.keep(), ContainsSubstring("No space left on device"));
    CHECK_THROWS_WITH(WholeFile(folder / "none/page.html"), ContainsSubstring("No such file"));
    CHECK_THROWS_WITH(WholeFile(folder.path().string()), ContainsSubstring("directory"));
}
