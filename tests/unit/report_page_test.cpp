// The page of a report: what it needs, what it lets a log do, and what it hands the library that draws plots.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/page/page_assets.hpp"
#include "shim/report/page/palette.hpp"
#include "shim/report/page/plot_data.hpp"
#include "shim/report/page/sizes.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::count;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::nasty_rule;
using switchyard::tests::no_library;
using switchyard::tests::profile_of;
using switchyard::tests::report_page;
using switchyard::tests::without;

namespace {

json data_of(const Profile& profile) {
    return json::parse(plot_data(profile, series_of(profile)));
}

std::size_t points_in(const json& data) {
    std::size_t points = 0;
    for (const auto& series : data["series"]) points += series["points"].size();
    return points;
}

const std::string nasty_collective = "<img src=x onerror=alert(1)></script><!--";

void fill(LogFolder& folder) {
    for (int i = 0; i < 50; ++i)
        folder.line(LogLine{.collective = i % 2 == 0 ? "alltoallv" : nasty_collective,
                            .rule = nasty_rule,
                            .block = 1L << (i % 20),
                            .mean_us = 1.0 + i,
                            .begin_us = 100.0 * i});
    folder.finish(4, 0.01);
}

Profile profile_of_many_calls(int calls, int algorithms) {
    ProfileBuilder builder;
    Call call;
    for (int i = 0; i < calls; ++i) {
        call.kind.collective = "alltoallv";
        call.kind.algorithm = "algorithm" + std::to_string(i % algorithms);
        call.kind.ranks = call.ranks_seen = 4;
        call.kind.block_bits = static_cast<unsigned>(i % 40);
        call.time_mean = call.time_max = 1 + i % 1000;
        call.begin = 10.0 * i;
        builder.add(call);
    }
    return builder.take({});
}

} // namespace

TEST_CASE("a page needs nothing from outside and lets nothing in the log act", "[page]") {
    LogFolder folder;
    fill(folder);
    std::ofstream(folder / "rank-0.jsonl")
        << R"({"world_rank":0,"comm":"world","collective":"alltoallv","begin_us":3,"time_us":7.5})" << '\n';
    const auto page = without(report_page(profile_of(folder)), page_script.text);
    CHECK(count(page, "<script") == 3); // the data, the library, ours
    CHECK(count(page, "</script") == 3);
    for (const char* part : {"<img", "<!--", "http://", "https://", "@import", "url(", " src=", "href=\"h"}) {
        INFO(part);
        // An escaped name is text.
        CHECK(count(page, part) == (count(page, "&lt;img src=") + count(page, "\\u003cimg src=")) *
                                       (std::string(part) == " src="));
    }
    CHECK(count(page, "&lt;script&gt;") > 0);
    CHECK(count(page, "\\u003cimg") > 0);
    CHECK(count(page, "<table>") == count(page, "</table>"));
    CHECK(count(page, "<section") == count(page, "</section>"));
    for (const char* title : {"Where the time went", "Time of a call, over the run", "Sizes",
                              "Blocks and algorithms", "Ranks", "Who chose the algorithm"})
        CHECK(count(page, std::string("<h2>") + title) == 1);
}

TEST_CASE("a page of no calls says so", "[page]") {
    LogFolder folder;
    folder.finish(4, 1);
    const auto page = report_page(profile_of(folder));
    CHECK(count(page, "The log holds no calls") == 1);
    CHECK(count(page, "plot-data\"") == count(std::string(page_script.text), "plot-data\""));
}

TEST_CASE("the page's policy allows its own scripts alone, by their hashes", "[page]") {
    LogFolder folder;
    fill(folder);
    const auto profile = profile_of(folder);
    const auto ours = "script-src '" + std::string(page_script.hash) + "'";
    CHECK(count(report_page(profile), ours + " 'sha256-of-the-library'\"") == 1);
    CHECK(count(report_page(profile, no_library), ours + "\"") == 1);
    CHECK(page_script.hash.starts_with("sha256-"));
}

TEST_CASE("what the build embeds can stand in a page", "[page]") {
    for (const auto& script : {page_script, plot_library}) {
        CHECK(script.text.find("</script") == std::string_view::npos);
        CHECK(script.text.find("<!--") == std::string_view::npos);
        CHECK(script.text.find("sourceMappingURL") == std::string_view::npos);
    }
    CHECK(page_style.find("</style") == std::string_view::npos);
    CHECK(plot_library.text.empty() == plot_library_license.empty());
    if (!plot_library.text.empty())
        CHECK(plot_library_license.find("Permission is hereby granted") != std::string_view::npos);
}

TEST_CASE("a page without the library has the tables, and says why it has no plots", "[page]") {
    LogFolder folder;
    fill(folder);
    const auto profile = profile_of(folder);
    const auto with = report_page(profile), page = report_page(profile, no_library);
    CHECK(count(page, "(Debian: libjs-dygraphs)") == 1);
    CHECK(count(with, "(Debian: libjs-dygraphs)") == 0);
    CHECK(count(page, "<script") == 1); // ours, which sorts
    CHECK(count(page, "plot-data\"") == count(with, "plot-data\"") - 1);
    CHECK(count(page, "<table>") == count(with, "<table>"));
    CHECK(count(page, "<noscript>") == 1);
}

TEST_CASE("a table of the page has the figures of each plot", "[page]") {
    LogFolder folder;
    folder.line(LogLine{.block = 64, .mean_us = 20});
    folder.line(LogLine{.collective = "allgather", .block = 64, .mean_us = 30});
    folder.line(LogLine{.block = 1024, .mean_us = 40});
    folder.finish(4, 0.001);
    const auto page = report_page(profile_of(folder));
    CHECK(count(page, "<td data-value=\"6\">64 B</td>") == 3); // two groups, and a size
    CHECK(count(page, "<td data-value=\"10\">1 KiB</td>") == 2);
    CHECK(count(page, "<td data-value=\"40\">40.0 us</td>") >= 4); // group, size, and its collective
    CHECK(count(page, "data-value=\"50\"><span") == 1);            // all calls of a size
    CHECK(count(page, "</span>50.0 us</td>") == 1);
    // A microsecond of each call is agreement (LogLine).
    CHECK(count(page, "<td data-value=\"1\">5.0%</td>") == 1);
}

TEST_CASE("the page gives the policy's reason for each rule that fired", "[page]") {
    LogFolder folder;
    folder.line(LogLine{.algorithm = "tuna", .rule = "small"});
    folder.finish(4, 0.001);
    auto run = json::parse(R"({"complete":true,"ranks":4})");
    run["policy"] = R"({"version":1,"otherwise":{"algorithm":"native"},"rules":[
        {"name":"small","when":{"collective":"alltoallv"},"use":{"algorithm":"tuna"},"because":"<b>measured</b>"},
        {"name":"idle","when":{"collective":"alltoall"},"use":{"algorithm":"pairwise"},"because":"never fired"}]})";
    folder.run_json(run.dump());
    const auto page = report_page(profile_of(folder));
    CHECK(count(page, "because: &lt;b&gt;measured&lt;/b&gt;") == 1);
    CHECK(count(page, "never fired") == 0);
    for (const std::string broken : {"", "{", "[]", "{\"version\":1}"}) {
        run["policy"] = broken;
        folder.run_json(run.dump());
        CHECK(count(report_page(profile_of(folder)), "because: ") == 0);
    }
}

TEST_CASE("the timeline gets every call with its text, and the sizes show every block with its calls",
          "[page]") {
    LogFolder folder;
    folder.line(LogLine{.algorithm = "tuna", .rule = "small", .block = 64, .mean_us = 20, .begin_us = 100});
    folder.line(LogLine{.algorithm = "tuna", .rule = "small", .block = 64, .mean_us = 25, .begin_us = 300});
    folder.line(LogLine{.collective = "allgather", .block = 64, .mean_us = 30, .begin_us = 150});
    folder.line(LogLine{.collective = "allgather", .block = 256, .mean_us = 5, .begin_us = 200});
    folder.finish(4, 0.002);
    const auto profile = profile_of(folder);
    const auto data = data_of(profile);
    CHECK(data["end"] == 2000);
    CHECK(data["range"] == json({1, 100}));
    REQUIRE(data["series"].size() == 2);
    CHECK(data["series"][0]["colour"] == series_colour(0));
    CHECK(data["series"][0]["points"].size() == 2);
    const auto point = data["series"][0]["points"][1];
    REQUIRE(point.size() == 3);
    CHECK(point[0] == 300);
    CHECK(point[1] == 25);
    CHECK(data["kinds"][point[2].get<std::size_t>()] ==
          json({"alltoallv tuna radix=4", "4 ranks, blocks up to 64 B"}));
    // Blocks of up to 64 bytes have two of three calls and three fifths of the time. The other block has the
    // third call.
    const auto page = report_page(profile);
    CHECK(count(page,
                "<i style=\"width:66.67%;background:#0072b2\" title=\"alltoallv: 2 calls, 45.0 us\"></i>"
                "<i style=\"width:33.33%;background:#d55e00\" title=\"allgather: 1 call, 30.0 us\"></i>"
                "</span>3</td>") == 1);
    CHECK(count(page,
                "<i style=\"width:60.00%;background:#0072b2\" title=\"alltoallv: 2 calls, 45.0 us\"></i>"
                "<i style=\"width:40.00%;background:#d55e00\" title=\"allgather: 1 call, 30.0 us\"></i>"
                "</span>75.0 us</td>") == 1);
    CHECK(count(page,
                "<span class=\"bar stack\" aria-hidden=\"true\"><i style=\"width:33.33%;background:#d55e00\" "
                "title=\"allgather: 1 call, 5.0 us\"></i></span>1</td>") == 1);
}

TEST_CASE("the heat map has the median and the calls of each block and algorithm", "[page]") {
    LogFolder folder;
    for (const double us : {10.0, 12.0, 14.0}) folder.line(LogLine{.block = 64, .mean_us = us});
    folder.line(LogLine{.block = 1024, .mean_us = 120});
    folder.line(LogLine{.algorithm = "tuna", .rule = "small", .block = 1024, .mean_us = 1200});
    folder.finish(4, 0.002);
    const auto page = report_page(profile_of(folder));
    const auto map = page.substr(page.find("<h2>Blocks and algorithms"));
    CHECK(
        count(map, "<th scope=\"col\" class=\"heat\">64 B</th><th scope=\"col\" class=\"heat\">1 KiB</th>") ==
        1);
    CHECK(count(map, "the palest field is 12 us, the strongest 1.2 ms.") == 1);
    CHECK(
        count(map,
              "<td class=\"w a\">native<small>alltoallv, 4 ranks</small></td>"
              "<td class=\"heat\" style=\"--strength:0.10\" title=\"3 calls, median 12.0 us, p95 14.0 us\" "
              "data-value=\"12\">12 us<small>3</small></td>"
              "<td class=\"heat\" style=\"--strength:0.40\" title=\"1 call, median 120.0 us, p95 120.0 us\" "
              "data-value=\"120\">120 us<small>1</small></td>") == 1);
    CHECK(count(map, "<td class=\"w a\">tuna radix=4<small>alltoallv, 4 ranks</small></td>"
                     "<td class=\"heat\" data-value=\"0\"></td>"
                     "<td class=\"heat\" style=\"--strength:0.70\"") == 1);
}

TEST_CASE("the ranks show who came late and who waited", "[page]") {
    LogFolder folder;
    folder.line(LogLine{});
    folder.finish(2, 0.0006); // 60 stretches of 10 us
    const auto call = [&](int rank, double begin, double time) {
        std::ofstream(folder / ("rank-" + std::to_string(rank) + ".jsonl"), std::ios::app)
            << R"({"world_rank":)" << rank << R"(,"comm":"world","collective":"alltoallv","begin_us":)"
            << begin << R"(,"time_us":)" << time << "}\n";
    };
    call(0, 10, 8);
    call(1, 14, 4);
    call(0, 30, 3);
    call(1, 30, 3);
    const auto page = report_page(profile_of(folder));
    CHECK(count(page, "<i></i>") == 2 * 58); // no calls
    CHECK(count(page, "<i class=\"waited\" style=\"--strength:1.00\" title=\"rank 0, 10.0 us to 20.0 us\n"
                      "80.0% of it in collectives; +20.0 points more than the average rank\"></i>") == 1);
    CHECK(count(page, "<i class=\"late\" style=\"--strength:1.00\" title=\"rank 1, 10.0 us to 20.0 us\n"
                      "40.0% of it in collectives; -20.0 points more than the average rank\"></i>") == 1);
    CHECK(count(page, "--strength:0.00\" title=\"rank ") == 2); // the second call
    CHECK(count(page, "The strongest colour: 20 points of a stretch.") == 1);
    CHECK(count(page, "<span>0</span><span>150 us</span><span>300 us</span><span>450 us</span>"
                      "<span>600 us</span>") == 1);
    CHECK(count(page, "<td data-value=\"11\">11.0 us</td>") == 1);
}

TEST_CASE("a summary has no timeline, as it does not say when a call was", "[page]") {
    LogFolder folder("summary.jsonl");
    folder.line(LogLine{.calls = 5});
    folder.finish(4, 1);
    const auto page = without(report_page(profile_of(folder)), page_script.text);
    CHECK(count(page, "plot-data") == 0);
    CHECK(count(page, "title=\"alltoallv: 5 calls, ") == 2);
}

TEST_CASE("however many calls there are, a plot has few points", "[page]") {
    const auto few = profile_of_many_calls(static_cast<int>(most_points), 3);
    CHECK(points_in(data_of(few)) == most_points);
    const auto many = profile_of_many_calls(100000, 30);
    const auto series = series_of(many);
    CHECK(series.size() == series_colours + 1);
    CHECK(series.back().name == "24 others");
    const auto data = data_of(many);
    CHECK(points_in(data) > 1000);
    CHECK(points_in(data) <= most_points);
    CHECK(data["series"][0]["points"][0].size() == 5); // with its percentiles
    CHECK(data["kinds"].empty());
    CHECK(report_page(many).size() < 2000000);
}

TEST_CASE("however many collectives a log names, the table of sizes has few", "[page]") {
    LogFolder folder;
    for (int i = 0; i < 100; ++i) folder.line(LogLine{.collective = "c" + std::to_string(i)});
    folder.finish(4, 1);
    const auto sizes = sizes_of(profile_of(folder));
    REQUIRE(sizes.collectives.size() == series_colours + 1);
    CHECK(sizes.collectives.back() == "94 others");
    CHECK(sizes.blocks.at(6).back().calls == 94);
}

TEST_CASE("plots stand what a log may hold: no time, one call, absurd values", "[page]") {
    for (const auto& line : {LogLine{.mean_us = 0}, LogLine{.block = 0, .mean_us = 1e12, .begin_us = 1e15},
                             LogLine{.block = 9223372036854775807L, .begin_us = -5}}) {
        LogFolder folder;
        folder.line(line);
        folder.finish(1, 0);
        const auto profile = profile_of(folder);
        const auto page = without(report_page(profile), page_script.text);
        CHECK(count(page, "nan") == 0);
        CHECK(count(page, "\"inf") == 0);
        CHECK(count(page, "</html>") == 1);
        const auto data = data_of(profile);
        CHECK(points_in(data) == 1);
        const auto range = data["range"].get<std::vector<double>>();
        CHECK(range[0] > 0);
        CHECK(range[1] >= 10 * range[0]);
        CHECK(data.dump().find("null") == std::string::npos); // no number that JSON lacks
    }
}
