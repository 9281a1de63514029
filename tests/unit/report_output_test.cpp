// What a report writes for programs and browsers: CSV, JSON, traces, comparisons, files.
#include "shim/report/files/compare_file.hpp"
#include "shim/report/text/compare_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/units.hpp"
#include "shim/common/whole_file.hpp"
#include "shim/report/facts/chosen_by.hpp"
#include "shim/report/facts/compare.hpp"
#include "shim/report/files/csv.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/files/trace.hpp"
#include "shim/report/page/markup.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/read/rank_lines.hpp"
#include "shim/report/text/report_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::count;
using switchyard::tests::lines_of;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::nasty_rule;
using switchyard::tests::profile_of;
using switchyard::tests::TemporaryFolder;
using switchyard::tests::written;

TEST_CASE("who chose has a letter, since rules have numbers", "[report]") {
    CHECK(mark_of(0) == "a");
    CHECK(mark_of(25) == "z");
    CHECK(mark_of(26) == "aa");
    CHECK(mark_of(701) == "zz");
    CHECK(mark_of(702) == "aaa");
    LogFolder folder;
    folder.line(LogLine{.algorithm = "tuna", .rule = "rule 2", .mean_us = 20});
    folder.line(LogLine{.algorithm = "tuna", .rule = "named", .mean_us = 10});
    folder.finish(4, 0.001);
    const auto lines = lines_of(written(print_text, profile_of(folder)));
    const auto has_line = [&](const std::string& end) {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.ends_with(end); });
    };
    CHECK(std::ranges::any_of(
        lines, [](const auto& line) { return line.starts_with("   a ") && line.ends_with("  rule 2"); }));
    CHECK(std::ranges::any_of(lines, [](const auto& line) {
        return line.starts_with("   b ") && line.ends_with("  rule \"named\"");
    }));
    CHECK(has_line("   a"));
    CHECK(has_line("   b"));
}

TEST_CASE("a report has the MPI's name in one line", "[report]") {
    LogFolder folder;
    folder.line(LogLine{});
    folder.run_json(R"({"switchyard":"1.0.0","complete":true,"program":"app","ranks":8,"wall_s":1,)"
                    R"("mpi_library":"MPICH Version:\t4.0.2\nMPICH Release date:\tThu"})");
    CHECK(facts_of(log::open_run(folder.path())).mpi_library == "MPICH Version: 4.0.2");
}

TEST_CASE("CSV has a line per group under the keys of JSON", "[report]") {
    LogFolder folder;
    folder.line(LogLine{.algorithm = "tuna", .rule = nasty_rule, .mean_us = 20});
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
        folder.line(LogLine{.rule = nasty_rule, .mean_us = 10, .begin_us = 15.0 * i});
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
        if (event.value("cat", "") == "part") continue;
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

TEST_CASE("inside a call of a trace lie its parts, and a rank's call names its line of the log", "[report]") {
    LogFolder folder;
    const auto line = [](int call, int seq, double begin, const std::string& phases) {
        return R"({"call":)" + std::to_string(call) + R"(,"comm":"0:1","seq":)" + std::to_string(seq) +
               R"(,"collective":"alltoallv","ranks":2,"time_us":{"min":90,"mean":95,"max":100},"phases_us":{)" +
               phases + R"(},"begin_us":)" + std::to_string(begin) + "}\n";
    };
    folder.raw(line(7, 2, 0, R"("agree":10,"copy_in":20,"stage":5,"copy_out":15,"exchange":45)"));
    folder.raw(
        line(9, 1, 1000,
             R"("agree":90,"copy_in":20,"stage":5,"copy_out":15)")); // more than the call: a damaged log
    folder.finish(2, 1);
    std::ofstream(folder / "rank-1.jsonl")
        << R"({"world_rank":1,"comm":"0:1","seq":1,"collective":"alltoallv","begin_us":1001,"time_us":80,)"
        << R"("phases_us":{"agree":8}})" << '\n'
        << R"({"world_rank":1,"comm":"0:1","seq":3,"collective":"alltoallv","begin_us":3000,"time_us":7.5})"
        << '\n';

    const auto trace = json::parse(written(write_trace, log::open_run(folder.path())));
    using Slice = std::tuple<std::string, double, double, int>; // name, begin, duration, call
    std::map<int, std::vector<Slice>> parts;
    std::vector<int> calls_of_rank;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        if (event["cat"] == "part")
            parts[event["pid"]].emplace_back(event["name"], event["ts"], event["dur"], event["args"]["call"]);
        else if (event["pid"] == 2)
            calls_of_rank.push_back(event["args"]["call"]);
    }
    CHECK(parts[1] == std::vector<Slice>{{"agreement", 0, 10, 7},
                                         {"copies from the device", 10, 20, 7},
                                         {"packing and unpacking", 30, 5, 7},
                                         {"copies to the device", 85, 15, 7},
                                         {"agreement", 1000, 90, 9},
                                         {"copies from the device", 1090, 10, 9}});
    CHECK(parts[2] == std::vector<Slice>{{"agreement", 1001, 8, 9}});
    CHECK(calls_of_rank == std::vector<int>{9, 0}); // no line of calls.jsonl is of the second one
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
    folder.run_json(R"({"switchyard":"1.0.0","complete":false,"ranks":1})");
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

    const Folders both = {PooledFolder{"a", {pool_of(a)}, {}}, PooledFolder{"b", {pool_of(b)}, {}}};
    const auto text = written(print_comparison, both);
    for (const char* part :
         {"native -> tuna radix=4", "0.50", "Call groups only in A", "Call groups only in B"})
        CHECK(count(text, part) == 1);
    CHECK(lines_of(written(write_comparison_csv, both)).size() == 4);
    const auto report = json::parse(written(write_comparison_json, both));
    CHECK(report["groups"][0]["median_ratio"] == Approx(0.5));
    CHECK(report["groups"][1]["median_ratio"].is_null());
    CHECK(report["groups"][1]["in"] == "a");
    CHECK(report["groups"][2]["in"] == "b");
    const Folders same = {both[0], both[0]};
    CHECK(json::parse(written(write_comparison_json, same))["groups"][0]["median_ratio"] == 1);
}

TEST_CASE("markup escapes", "[report]") {
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
