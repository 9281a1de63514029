// The page of a comparison: what it says, and what it lets a log do.
#include "shim/report/page/compare_page.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/compare.hpp"

#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::tests::add_runs;
using switchyard::tests::count;
using switchyard::tests::has;
using switchyard::tests::LogLine;
using switchyard::tests::RunsFolder;
using switchyard::tests::without;

namespace {

// Without our own script and style, whose texts are no page's.
std::string comparison_page(const RunsFolder& a, const RunsFolder& b) {
    std::ostringstream out;
    write_comparison_html({pool_runs(a.path()), pool_runs(b.path())}, out);
    return without(without(out.str(), page_script.text), page_style);
}

} // namespace

TEST_CASE("the page of a comparison leads with the answer", "[compare_page]") {
    RunsFolder a, b;
    add_runs(a, {2.0, 2.2, 1.9, 2.1, 2.4});
    add_runs(b, {1.0, 1.1, 1.2, 1.0, 1.3}, 1);
    const auto page = comparison_page(a, b);
    const auto answer =
        page.find("<b>B is faster</b>: it takes 0.50 of A&#39;s wall time (2.10 s -&gt; 1.10 s), "
                  "faster in 5 of 5 pairs");
    REQUIRE(answer != std::string::npos);
    CHECK(answer < page.find("<h2>"));
    CHECK(has(page, "<h1>app, 4 ranks on 1 node: is B faster?</h1>"));
    CHECK(has(page, "<h2>A: app, 4 ranks on 1 node, 5 runs</h2>"));
    CHECK(has(page, "10 calls in 5 runs, 0 routed; 20.0% of the wall time in collectives."));
    CHECK(has(page, "<dt>policy</dt><dd>a.policy.json</dd>"));
    CHECK(has(page, "<td class=\"w\">wall time</td><td data-value=\"2100000\">2.10 s</td>"));
    CHECK(has(page, "5 pairs, by the order of start."));
    CHECK(has(page, "<h2>Call groups in both</h2>"));
    CHECK_FALSE(has(page, "<h2>Call groups only in"));
    CHECK_FALSE(has(page, "<h2>What the agreement costs"));
    CHECK(count(page, "<table>") == 4); // what a run takes, its pairs twice, call groups
    for (const char* element : {"table", "section", "div", "dl", "figure"}) {
        INFO(element);
        const std::string name = element;
        CHECK(count(page, "<" + name + ">") + count(page, "<" + name + " ") ==
              count(page, "</" + name + ">"));
    }
}

TEST_CASE("a bar says faster by its side, and how much by its length", "[compare_page]") {
    RunsFolder a, b, c;
    add_runs(a, {2});
    add_runs(b, {1.5});
    add_runs(c, {1000});
    const std::string faster = "<i style=\"left:29.2%;width:20.8%\"></i></span>0.75</td>",
                      slower = "<i class=\"slower\" style=\"left:50.0%;width:20.8%\"></i></span>1.33</td>",
                      longest = "<i class=\"slower\" style=\"left:50.0%;width:50.0%\"></i></span>500.00</td>";
    CHECK(count(comparison_page(a, b), faster) == 3); // wall time, in collectives, a call group
    CHECK(count(comparison_page(b, a), slower) == 3);
    CHECK(count(comparison_page(a, c), longest) == 3);
    CHECK(count(comparison_page(a, a), "width:0.0%\"></i></span>1.00</td>") == 3);
}

TEST_CASE("the page has every pair, and runs without a partner", "[compare_page]") {
    RunsFolder a, b;
    add_runs(a, {2, 4, 3});
    add_runs(b, {1, 3}, 1);
    const auto page = comparison_page(a, b);
    CHECK(has(page, "2 pairs, by the order of start; the last 1 run of A has no partner."));
    CHECK(has(page, "<td data-value=\"2\">2</td><td data-value=\"4000000\">4.00 s</td>"
                    "<td data-value=\"3000000\">3.00 s</td>"));
    CHECK(has(page, "<td data-value=\"3\">3</td><td data-value=\"3000000\">3.00 s</td>"
                    "<td data-value=\"0\">-</td><td data-value=\"0\">-</td>"));
    CHECK(count(page, "<th scope=\"col\">B/A</th><th scope=\"col\" class=\"w\">1.00 s to 4.00 s</th>") == 1);
    const auto runs = [](const std::string& of) { return "<span class=\"runs\">" + of + "</span></td>"; };
    CHECK(count(page, runs("<b style=\"left:33.3%\">A</b><b class=\"b\" style=\"left:0.0%\">B</b>")) == 2);
    CHECK(count(page, runs("<b style=\"left:100.0%\">A</b><b class=\"b\" style=\"left:66.7%\">B</b>")) == 2);
    CHECK(count(page, runs("<b style=\"left:66.7%\">A</b>")) == 2);
}

TEST_CASE("of one run each the page says that there is no spread, and has no plot of it", "[compare_page]") {
    RunsFolder a, b;
    add_runs(a, {2});
    add_runs(b, {1});
    const auto page = comparison_page(a, b);
    CHECK(has(page, "one run of each: their spread is not known, so the difference can be chance."));
    CHECK(has(page, "1 pair is too few to be sure, run 5 or more in turn."));
    CHECK(has(page, "<h2>B: app, 4 ranks on 1 node, wall time 1.00 s, complete</h2>"));
    CHECK_FALSE(has(page, "class=\"runs\""));
    CHECK(count(page, "<script") == 1); // ours, which sorts
}

TEST_CASE("call groups of one side stand apart", "[compare_page]") {
    RunsFolder a, b;
    a.run({.name = "1"}, {LogLine{.collective = "allgather"}});
    b.run({.name = "1"}, {LogLine{}});
    const auto page = comparison_page(a, b);
    CHECK(has(page, "The logs have no calls of the same collective, ranks and blocks."));
    CHECK(has(page, "<h2>Call groups only in A</h2>"));
    CHECK(has(page, "<h2>Call groups only in B</h2>"));
    CHECK(count(page, "<td class=\"w\">allgather</td>") == 1);
}

TEST_CASE("of very many call groups the page has those with the most time", "[compare_page]") {
    RunsFolder a;
    std::vector<LogLine> lines;
    for (int ranks = 1; ranks <= 100; ++ranks) lines.push_back(LogLine{.ranks = ranks});
    a.run({.name = "1"}, lines);
    const auto page = comparison_page(a, a);
    CHECK(has(page, "76 groups with less time are left out"));
    CHECK(count(page, "<td class=\"w\">alltoallv</td>") == 24);
}

TEST_CASE("programs are compared apart on the page, too, and all answers come first", "[compare_page]") {
    RunsFolder a, b;
    add_runs(a, {2, 2});
    add_runs(b, {1, 1}, 1);
    add_runs(a, {3, 3}, 0, {.program = "other"});
    add_runs(b, {6, 6}, 0, {.program = "other"});
    add_runs(b, {9}, 0, {.program = "third", .ranks = 8});
    const auto page = comparison_page(a, b);
    CHECK(has(page, "<h1>Is B faster?</h1>"));
    CHECK(has(page, "A mixes 2 kinds of runs. Each program with each number of ranks is compared apart."));
    CHECK(has(page, "Only in B, so compared with nothing: third, 8 ranks on 1 node, 1 run."));
    CHECK(has(page, "<span class=\"program\">app, 4 ranks on 1 node</span><b>B may be faster</b>"));
    CHECK(has(page, "<span class=\"program\">other, 4 ranks on 1 node</span><b>B may be slower</b>"));
    CHECK(page.find("B may be slower") < page.find("<h1 class=\"program\">"));
    CHECK(count(page, "<h2>What a run takes</h2>") == 2);
    CHECK(count(page, "<h3>wall time</h3>") == 2);
    CHECK(count(page, "class=\"runs\"") == 8);

    RunsFolder c;
    add_runs(c, {1}, 0, {.program = "third"});
    const auto nothing = comparison_page(a, c);
    CHECK(has(nothing, "<b>Whether B is faster is not known</b>: A and B have no program"));
    CHECK(count(nothing, "<table>") == 0);
    RunsFolder d;
    add_runs(d, {1}, 0, {.ranks = 8});
    CHECK(has(comparison_page(d, c), "A and B differ in the program or in its number of ranks"));
}

TEST_CASE("nothing of the logs acts in the page of a comparison", "[compare_page]") {
    const std::string nasty = "<script>alert(1)</script><img src=x onerror=alert(1)><!-- & 'b' {}";
    const std::string policy =
        R"({"version":1,"rules":[{"name":")" + nasty +
        R"(","when":{"collective":"alltoallv","max_block_bytes":{"max":512}},"use":{"algorithm":"pairwise"}}],)"
        R"("otherwise":{"algorithm":"native"}})";
    RunsFolder a, b;
    for (const std::string name : {"<img src=y>1", "<img src=y>2"})
        for (auto* folder : {&a, &b})
            folder->run(
                {.name = name, .started = nasty, .program = nasty, .policy = policy, .arguments = nasty},
                {LogLine{.algorithm = nasty, .rule = nasty, .mean_us = 1e5, .agree_us = 9e4},
                 LogLine{.collective = nasty}});
    a.run({.name = "<img src=z>", .complete = false, .program = nasty}, {LogLine{}});
    const auto page = comparison_page(a, b);
    CHECK(has(page, "What the agreement costs"));
    CHECK(has(page, "&lt;img src=z&gt; is left out: PARTIAL"));
    CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    CHECK(count(page, "<script") == 1); // ours, which sorts
    CHECK(count(page, "</script") == 1);
    for (const char* part : {"<img", "<!--", "http://", "https://", "@import", "url(", "href="}) {
        INFO(part);
        CHECK(count(page, part) == 0);
    }
    CHECK(has(page, "script-src '" + std::string(page_script.hash) + "'\""));
}

TEST_CASE("the page stands killed and empty runs", "[compare_page]") {
    RunsFolder killed, empty;
    killed.run({.name = "1", .complete = false}, {LogLine{}});
    empty.run({.name = "1", .wall_s = 0}, {});
    for (const auto* folder : {&killed, &empty}) {
        const auto page = comparison_page(killed, *folder);
        CHECK(has(page, "PARTIAL: the run did not reach MPI_Finalize"));
        CHECK(has(page, "<b>B cannot be compared</b>"));
        CHECK(has(page, "</html>"));
        CHECK_FALSE(has(page, "nan"));
        CHECK_FALSE(has(page, "inf;"));
    }
}
