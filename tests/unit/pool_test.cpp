// Two folders of runs: which runs are pooled, how they are paired, and what the comparison says of them.
#include "shim/report/files/compare_file.hpp"
#include "shim/report/text/compare_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/compare.hpp"
#include "shim/report/facts/verdict.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::add_runs;
using switchyard::tests::has;
using switchyard::tests::has_line;
using switchyard::tests::lines_of;
using switchyard::tests::LogLine;
using switchyard::tests::RunsFolder;

namespace {

Folders folders_of(const RunsFolder& a, const RunsFolder& b) {
    return {pool_runs(a.path()), pool_runs(b.path())};
}

std::string comparison_of(const Folders& folders) {
    std::ostringstream out;
    print_comparison(folders, out);
    return out.str();
}

std::string comparison_of(const RunsFolder& a, const RunsFolder& b) {
    return comparison_of(folders_of(a, b));
}

json json_of(const RunsFolder& a, const RunsFolder& b) {
    std::ostringstream out;
    write_comparison_json(folders_of(a, b), out);
    return json::parse(out.str());
}

// The last sentence, which may be broken into lines.
std::string answer_in(const std::string& text) {
    auto answer = text.substr(text.rfind("\n\n") + 2);
    std::ranges::replace(answer, '\n', ' ');
    return answer;
}

} // namespace

TEST_CASE("all runs of a folder are pooled, and lead with what a run takes", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2.0, 2.2, 1.9, 2.1, 2.4});
    add_runs(b, {1.0, 1.1, 1.2, 1.0, 1.3}, 1);
    const auto text = comparison_of(a, b);
    INFO(text);
    CHECK(has(text, "A: app, 4 ranks on 1 node, 5 runs\n"));
    CHECK(has_line(text, "  started   2026-11-24T10:10:00+0000 to 2026-11-24T10:18:00+0000"));
    CHECK(has_line(text, "                 median A       MAD  median B       MAD   B/A   MAD  B is"));
    CHECK(has_line(
        text, "wall time          2.10 s  100.0 ms    1.10 s  100.0 ms  0.50  0.02  faster in 5 of 5 pairs"));
    CHECK(has_line(text, "  5 pairs, by the order of start"));
    CHECK(has_line(text, "  10 calls in 5 runs, 0 routed; 20.0% of the wall time in collectives"));
    // Medians over all calls, calls and totals of one run.
    CHECK(has(text,
              "alltoallv       4      64 B      2  210.0 ms  110.0 ms  0.52  424.0 ms  224.0 ms  native"));
    CHECK(answer_in(text) ==
          "B is faster: it takes 0.50 of A's wall time (2.10 s -> 1.10 s), faster in 5 of 5 pairs, and 0.50 "
          "of its "
          "time in collectives (faster in 5 of 5 pairs); significant (two-sided sign test, p = 0.062). ");
    for (const auto& line : lines_of(text)) CHECK(line.size() <= 110);

    const auto report = json_of(a, b);
    CHECK(report["a"]["directory"] == a.path());
    CHECK(report["a"]["runs"] == 5);
    CHECK(report["a"]["calls"] == 10);
    CHECK(report["a"]["wall_us"] == Approx(2.1e6));
    CHECK(report["a"]["total_us"] == Approx(4.2e5));
    REQUIRE(report["comparisons"].size() == 1);
    const auto& wall = report["comparisons"][0]["wall"];
    CHECK(wall["pairs"] == 5);
    CHECK(wall["faster"] == 5);
    CHECK(wall["chance"] == Approx(1.0 / 16));
    CHECK(wall["ratio"] == Approx(0.5));
    CHECK(report["comparisons"][0]["answer"].get<std::string>().starts_with("B is faster"));
    CHECK(report["groups"][0]["calls_a"] == 10);
    CHECK(report["groups"][0]["runs_a"] == 5);
    CHECK(report["groups"][0]["mean_ratio"] == Approx(5.6 / 10.6));
}

TEST_CASE("runs are paired by the order of their start, whatever their names", "[pool]") {
    RunsFolder a, b;
    a.run({.name = "z", .started = "2026-01-01", .wall_s = 1}, {LogLine{}});
    a.run({.name = "y", .started = "2026-01-03", .wall_s = 10}, {LogLine{}});
    b.run({.name = "a", .started = "2026-01-04", .wall_s = 9}, {LogLine{}});
    b.run({.name = "b", .started = "2026-01-02", .wall_s = 2}, {LogLine{}});
    const auto folders = folders_of(a, b);
    const auto wall = paired(folders[0].pools[0], folders[1].pools[0], &RunFigures::wall_us);
    CHECK(wall.faster == 1);
    CHECK(wall.slower == 1);
    CHECK(wall.ratio.median == Approx((2 + 0.9) / 2));
    CHECK(
        answer_in(comparison_of(folders)) ==
        "B is as often slower as faster: it takes 1.45 of A's wall time (5.50 s -> 5.50 s), faster in 1 of 2 "
        "pairs, and 1.00 of its time in collectives (equal in 2 of 2 pairs); not statistically "
        "significant. ");
}

TEST_CASE("runs without a partner are said, and count for the medians", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2, 2, 2, 8, 8});
    add_runs(b, {1, 1}, 1);
    const auto text = comparison_of(a, b);
    CHECK(has_line(text, "  2 pairs, by the order of start; the last 3 runs of A have no partner"));
    CHECK(has(text, "faster in 2 of 2 pairs"));
    CHECK(answer_in(text).starts_with("B may be faster: it takes 0.50 of A's wall time (2.00 s -> 1.00 s)"));
    CHECK(has(answer_in(text), "2 pairs are too few to be sure, run 5 or more in turn."));
    CHECK(has(comparison_of(b, a), "; the last 3 runs of B have no partner"));
}

TEST_CASE("of one run each there is no spread", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2});
    add_runs(b, {1});
    for (const auto& text :
         {comparison_of(a, b), comparison_of({pool_runs(a / "app.0"), pool_runs(b / "app.0")})}) {
        CHECK(has_line(text,
                       "wall time          2.00 s    -    1.00 s    -  0.50    -  faster in 1 of 1 pair"));
        CHECK(
            has_line(text, "  one run of each: their spread is not known, so the difference can be chance"));
        CHECK(has(text, "A: app, 4 ranks on 1 node, wall time 2.00 s, complete\n"));
        CHECK(answer_in(text) ==
              "B may be faster: it takes 0.50 of A's wall time (2.00 s -> 1.00 s) and 0.50 of its "
              "time in collectives; 1 pair is too few to be sure, run 5 or more in turn. ");
    }
    CHECK(json_of(a, b)["comparisons"][0]["wall"]["deviation_us_a"].is_null());
}

TEST_CASE("runs of one side that all came first are said", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2, 2});
    add_runs(b, {1, 1}, 20);
    CHECK(has(comparison_of(a, b), "one side's runs all came before the other's"));
    RunsFolder in_turn;
    add_runs(in_turn, {1, 1}, 1);
    CHECK_FALSE(has(comparison_of(a, in_turn), "all came before"));
}

TEST_CASE("killed runs are left out where others reached their end", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2, 2});
    a.run({.name = "app.killed", .started = "2026-11-24T10:11:30+0000", .wall_s = 99, .complete = false},
          {LogLine{.mean_us = 1e6}});
    add_runs(b, {1, 1}, 1);
    const auto text = comparison_of(a, b);
    CHECK(has_line(text, "A: app.killed is left out: PARTIAL, it did not reach MPI_Finalize"));
    CHECK(has(text, "A: app, 4 ranks on 1 node, 2 runs\n"));
    CHECK(has(text, "faster in 2 of 2 pairs"));
    CHECK(json_of(a, b)["a"]["remarks"].size() == 1);
}

TEST_CASE("where all runs were killed, nothing is said of wall time", "[pool]") {
    RunsFolder a, b;
    a.run({.name = "app.killed", .started = "2026-11-24T10:11:30+0000", .wall_s = 99, .complete = false},
          {LogLine{}});
    add_runs(b, {1, 1}, 1);
    const auto text = comparison_of(a, b);
    CHECK(has(text, "PARTIAL: the run did not reach MPI_Finalize"));
    CHECK(has(text, "alltoallv       4      64 B"));
    CHECK(answer_in(text) == "B cannot be compared: there is no pair of runs with known times. ");
    CHECK(json_of(a, b)["a"]["wall_us"].is_null());
    CHECK(json_of(a, b)["a"]["partial"] == true);
}

TEST_CASE("programs and numbers of ranks are compared apart", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2, 2});
    add_runs(b, {1, 1}, 1);
    add_runs(a, {3}, 0, {.program = "other"});
    add_runs(b, {6}, 0, {.program = "other"});
    add_runs(b, {9}, 0, {.program = "third", .ranks = 8});
    const auto text = comparison_of(a, b);
    INFO(text);
    CHECK(
        has_line(text, "A mixes 2 kinds of runs. Each program with each number of ranks is compared apart"));
    CHECK(
        has_line(text, "B mixes 3 kinds of runs. Each program with each number of ranks is compared apart"));
    CHECK(has(text, "A: app, 4 ranks on 1 node, 2 runs\n"));
    CHECK(has(text, "A: other, 4 ranks on 1 node, wall time 3.00 s, complete\n"));
    CHECK(has(text, "it takes 0.50 of A's wall time"));
    CHECK(has(text, "it takes 2.00 of A's wall time"));
    CHECK(has_line(text, "Only in B, so compared with nothing: third, 8 ranks on 1 node, 1 run"));
    CHECK(has(answer_in(text), "it takes 2.00 of A's wall time")); // the text ends with an answer
    const auto report = json_of(a, b);
    REQUIRE(report["comparisons"].size() == 3);
    CHECK(report["comparisons"][2]["program"] == "third");
    CHECK(report["comparisons"][2]["runs_a"] == 0);
    CHECK(report["a"]["wall_us"].is_null());
    CHECK(report["groups"].size() == 3);
    CHECK(report["groups"][2]["program"] == "third");
}

TEST_CASE("folders with nothing in common say so", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {1}, 0, {.program = "one"});
    add_runs(a, {1}, 0, {.program = "two"});
    add_runs(b, {1}, 0, {.program = "three"});
    const auto text = comparison_of(a, b);
    CHECK(has(text, "Only in A, so compared with nothing: one, 4 ranks on 1 node, 1 run"));
    CHECK(has(text, "Only in B, so compared with nothing: three, 4 ranks on 1 node, 1 run"));
    CHECK(answer_in(text) ==
          "Whether B is faster is not known: A and B have no program with the same number of ranks. ");
}

TEST_CASE("two single programs are compared even if they differ", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2});
    add_runs(b, {1}, 0, {.ranks = 8});
    CHECK(has_line(
        comparison_of(a, b),
        "A and B differ in the program or in its number of ranks, so their times need not be comparable"));
}

TEST_CASE("runs with other arguments or another policy are pooled, and said", "[pool]") {
    RunsFolder a, b;
    a.run({.name = "1", .started = "1", .arguments = "small"}, {LogLine{}});
    a.run({.name = "2", .started = "2", .policy = "{}", .arguments = "large"}, {LogLine{}});
    add_runs(b, {1});
    const auto text = comparison_of(a, b);
    CHECK(has_line(text, "  the runs have 2 different command lines; only those of the first run are named"));
    CHECK(has_line(text, "  the runs have 2 different policies; only those of the first run are named"));
}

TEST_CASE("damaged logs are read as far as they go, or left out", "[pool][damage]") {
    RunsFolder a, b;
    add_runs(a, {2, 2, 2});
    add_runs(b, {1, 1, 1}, 1);
    std::ofstream(a / "app.0/calls.jsonl", std::ios::app) << "{torn";
    std::filesystem::remove(a / "app.1/calls.jsonl");
    a.run({.name = "later", .started = "3", .version = "9.0.0"}, {LogLine{}});
    std::filesystem::create_directory(a / "no run");
    const auto text = comparison_of(a, b);
    INFO(text);
    CHECK(
        has_line(text, "  app.0: 1 line could not be read, the last one among them: the file is truncated"));
    CHECK(has(text, "A: app.1 is left out: "));
    CHECK(has(text, "app.1 has no calls.jsonl\n"));
    CHECK(has(text, "A: later is left out: "));
    CHECK(has(text, "A: app, 4 ranks on 1 node, 2 runs\n"));
    for (const auto& line : lines_of(text)) CHECK(line.size() <= 400);
    CHECK_THROWS_WITH(pool_runs(a / "later"), ContainsSubstring("was written by switchyard 9.0.0"));
}

TEST_CASE("logs of versions with our first number are read, and those of 0.1.0", "[pool]") {
    for (const char* version : {"1.0.0", "1.27.3", "0.1.0"}) {
        INFO(version);
        RunsFolder folder;
        folder.run({.name = "run", .version = version}, {LogLine{}});
        CHECK_NOTHROW(pool_runs(folder / "run"));
    }
    for (const char* version : {"0.1.1", "2.0.0", "10.0.0"}) {
        INFO(version);
        RunsFolder folder;
        folder.run({.name = "run", .version = version}, {LogLine{}});
        CHECK_THROWS_WITH(pool_runs(folder / "run"), ContainsSubstring("reads logs of versions 1.x"));
    }
}

TEST_CASE("what is no folder of runs is refused in a sentence", "[pool]") {
    RunsFolder folder;
    CHECK_THROWS_WITH(pool_runs(folder.path()), ContainsSubstring("is no run's log"));
    CHECK_THROWS_WITH(pool_runs(folder / "none"), ContainsSubstring("there is no "));
    std::ofstream(folder / "file") << "text";
    CHECK_THROWS_WITH(pool_runs(folder / "file"), ContainsSubstring("is a file"));
    for (const char* name : {"a", "b"}) folder.run({.name = name, .version = "9.0.0"}, {LogLine{}});
    CHECK_THROWS_WITH(pool_runs(folder.path()), ContainsSubstring("can be read: a is left out: "));
}

TEST_CASE("names in logs do not reach the terminal as they are", "[pool][damage]") {
    RunsFolder a, b;
    a.run({.name = "x\x1b[31m", .started = "1", .complete = false, .program = "p\\u001b[31m"}, {LogLine{}});
    a.run({.name = "y\x1b[31m", .started = "2\\u001b[31m", .program = "p\\u001b[31m"}, {LogLine{}});
    add_runs(b, {1});
    const auto text = comparison_of(a, b);
    CHECK(has(text, "x\\x1b[31m is left out"));
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("what the agreement cost stands with the rule that is its cause", "[pool][agreement]") {
    const std::string policy =
        R"({"version":1,"rules":[{"name":"small blocks","when":{"collective":"alltoallv",)"
        R"("max_block_bytes":{"max":512}},"use":{"algorithm":"pairwise"}}],)"
        R"("otherwise":{"algorithm":"native"}})";
    const std::vector<LogLine> lines = {
        LogLine{.algorithm = "pairwise", .rule = "small blocks", .mean_us = 1e5, .agree_us = 4e4},
        LogLine{.block = 4096, .mean_us = 1e5, .agree_us = 3e4}};
    RunsFolder a, b;
    add_runs(a, {1, 1});
    for (const char* name : {"1", "2"}) b.run({.name = name, .started = name, .policy = policy}, lines);
    const auto text = comparison_of(a, b);
    INFO(text);
    CHECK(has(text, "\nWhat the agreement costs, waiting for late ranks included\n"
                    "B: 2 of 4 calls routed, 35.0% of the time in collectives spent agreeing: drop "
                    "max_block_bytes of rule "
                    "\"small\nblocks\"\n"));
    CHECK(has_line(text, "  in agreements    2.0 us  0.0 us   70.0 ms  0.0 us     -     -  -"));
    CHECK(json_of(a, b)["comparisons"][0]["agreement_a"] == "");
    CHECK(
        json_of(a, b)["comparisons"][0]["agreement_b"].get<std::string>().starts_with("2 of 4 calls routed"));
}

TEST_CASE("a comparison has the time in collectives that are only counted", "[pool][seen]") {
    RunsFolder a, b, without;
    a.run({.name = "1", .started = "1", .counted_us = 4000}, {LogLine{}});
    b.run({.name = "1", .started = "1", .counted_us = 8000}, {LogLine{}});
    without.run({.name = "1", .started = "1"}, {LogLine{}});
    INFO(comparison_of(a, b));
    CHECK(has(comparison_of(a, b),
              "\nonly counted       1.0 ms    -    2.0 ms    -  2.00    -  slower in 1 of 1 "));
    CHECK(json_of(a, b)["comparisons"][0]["only_counted"]["ratio"] == 2);
    CHECK_FALSE(has(comparison_of(without, without), "only counted"));
    CHECK(json_of(without, b)["comparisons"][0]["only_counted"]["ratio"] == nullptr);
}

TEST_CASE("chance is that of tossing a coin, and ties count for nobody", "[pool]") {
    const auto chance = [](std::size_t faster, std::size_t slower) {
        Paired paired;
        paired.faster = faster;
        paired.slower = slower;
        return paired.chance();
    };
    CHECK(chance(0, 0) == 1);
    CHECK(chance(1, 0) == 1);
    CHECK(chance(5, 0) == Approx(1.0 / 16));
    CHECK(chance(0, 5) == Approx(1.0 / 16));
    CHECK(chance(8, 2) == Approx(112.0 / 1024));
    CHECK(chance(3, 3) == 1);
    CHECK(chance(1000, 0) < 1e-200);
    CHECK(spread_of({}).median == 0);
    CHECK(spread_of({1, 2, 4, 9}).median == 3);
    CHECK(spread_of({1, 2, 4, 9}).deviation == 1.5);

    RunsFolder slow, fast;
    add_runs(slow, {2, 2, 2, 2, 2});
    add_runs(fast, {1, 1, 1, 1, 1}, 1);
    CHECK(has(answer_in(comparison_of(fast, slow)), "B is slower: it takes 2.00 of A's wall time"));
    CHECK(answer_in(comparison_of(slow, slow)) ==
          "B is equally fast: it takes 1.00 of A's wall time (2.00 s -> 2.00 s), equal in 5 of 5 pairs, and "
          "1.00 of its time in collectives (equal in 5 of 5 pairs). ");
}

TEST_CASE("an answer that is not sure says what is likely", "[pool]") {
    RunsFolder a, b;
    add_runs(a, {2, 2, 2, 2, 2});
    add_runs(b, {1, 1, 1, 1, 3}, 1);
    CHECK(answer_in(comparison_of(a, b)).starts_with("B may be faster: it takes 0.50 of A's wall time"));
    CHECK(has(answer_in(comparison_of(a, b)), "(faster in 4 of 5 pairs); not statistically significant."));
    CHECK(answer_in(comparison_of(b, a)).starts_with("B may be slower: it takes 2.00 of A's wall time"));
    CHECK(has(answer_in(comparison_of(b, a)), "(slower in 4 of 5 pairs); not statistically significant."));
}

TEST_CASE("an answer has other nouns, and speaks of what is known alone", "[pool]") {
    Paired wall, collectives;
    wall.sides = {spread_of({2e6, 2e6}), spread_of({1e6, 1e6})};
    wall.ratio = spread_of({0.5, 0.5});
    wall.faster = 2;
    const Sides sides = {.b = "The program under switchyard", .a_possessive = "the bare program's"};
    CHECK(
        verdict(wall, collectives, sides) ==
        "The program under switchyard may be faster: it takes 0.50 of the bare program's wall time "
        "(2.00 s -> 1.00 s), faster in 2 of 2 pairs; 2 pairs are too few to be sure, run 5 or more in turn.");
    CHECK(verdict(collectives, wall, sides) ==
          "The program under switchyard may be faster: no wall time is known of one side, and it takes 0.50 "
          "of the bare program's time in collectives (2.00 s -> 1.00 s), faster in 2 of 2 pairs; 2 pairs are "
          "too few to be sure, run 5 or more in turn.");
    CHECK(verdict(collectives, collectives, sides) ==
          "The program under switchyard cannot be compared: there is no pair of runs with known times.");
}
