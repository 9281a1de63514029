// Call groups that begin with slow calls: which calls these are, what they cost, and
// where a report says nothing.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/units.hpp"
#include "shim/report/facts/pool.hpp"
#include "shim/report/facts/slow_start.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/text/report_text.hpp"
#include "shim/report/text/text_table.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::RunsFolder;
using switchyard::tests::written;

namespace {

using Milliseconds = std::vector<double>;
using Sentences = std::vector<std::string>;

const LogLine shared_calls{.collective = "alltoall", .algorithm = "shared", .block = 16384};

// Some slow calls, then many usual ones.
Milliseconds followed_by(Milliseconds slow, std::size_t usual, double ms = 5) {
    slow.insert(slow.end(), usual, ms);
    return slow;
}

// The calls of one communicator in their order, each with ranks that come at nearly the same time.
class Calls {
  public:
    explicit Calls(LogLine like) : next_(std::move(like)) {}
    LogLine call(double ms) {
        next_.mean_us = 1000 * ms;
        next_.fastest_us = 0.9 * next_.mean_us;
        auto line = next_;
        ++next_.seq;
        return line;
    }

  private:
    LogLine next_;
};

Profile finished(LogFolder& folder, double wall_s = 3) {
    folder.finish(4, wall_s);
    return read_profile(log::open_run(folder.path()));
}

Profile profile_of_calls(const Milliseconds& calls, const LogLine& like = shared_calls, double wall_s = 3) {
    LogFolder folder;
    Calls in_order(like);
    for (const double ms : calls) folder.line(in_order.call(ms));
    return finished(folder, wall_s);
}

json group_of(const Profile& profile, std::size_t group = 0) {
    return json::parse(written(write_json, profile))["groups"][group];
}

} // namespace

TEST_CASE("a report says how many first calls of a group were slow, and what they cost", "[slow-start]") {
    const auto profile = profile_of_calls(followed_by({46, 40, 35, 30, 25, 20}, 394));
    const std::string sentence =
        "alltoall, 4 ranks, up to 16 KiB, shared: the first 6 of 400 calls took 20 ms to 46 ms each, the "
        "others usually 5.0 ms; that cost 166 ms in all, 7.7% of the time in collectives";
    CHECK(slow_start_sentences(profile) == Sentences{sentence});

    const auto text = written(print_text, profile);
    INFO(text);
    CHECK(has(text, slow_start_title));
    CHECK(has(text, "shared: the first 6 of 400 calls took 20 ms to 46 ms each, the others"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(width_of(line) <= text_width);

    std::ostringstream page;
    write_html(profile, page);
    CHECK(has(page.str(), std::string("<h2>") + slow_start_title));
    CHECK(has(page.str(), "<p>" + sentence + ".</p>"));

    const auto group = group_of(profile);
    CHECK(group["slow_first_calls"] == 6);
    CHECK(group["slow_first_call_least_us"] == 20'000);
    CHECK(group["slow_first_call_most_us"] == 46'000);
    CHECK(group["slow_first_calls_cost_us"] == 166'000);
    CHECK(group["slow_first_calls_waiting_us"] == Approx(19'600)); // a tenth of these calls
    CHECK(has(written(write_csv, profile), "6,20000.0,46000.0,166000.0,"));
}

TEST_CASE("one slow first call is told of without a range", "[slow-start]") {
    CHECK(slow_start_sentences(profile_of_calls(followed_by({46}, 99))) ==
          Sentences{"alltoall, 4 ranks, up to 16 KiB, shared: the first of 100 calls took 46 ms, the others "
                    "usually 5.0 ms; that cost 41 ms in all, 7.6% of the time in collectives"});
}

TEST_CASE("where first calls are as the others, a report says nothing of them", "[slow-start]") {
    // A slow call later is none of the first, and neither is one after a usual one.
    const auto later = Milliseconds{5, 46, 46};
    for (const auto& calls : {followed_by({}, 100), followed_by({15, 14}, 98), followed_by(later, 97),
                              followed_by({}, 100, 0), followed_by({0.1}, 99)}) {
        const auto profile = profile_of_calls(calls);
        CHECK(slow_start_sentences(profile).empty());
        CHECK_FALSE(has(written(print_text, profile), slow_start_title));
        std::ostringstream page;
        write_html(profile, page);
        CHECK_FALSE(has(page.str(), slow_start_title));
        const auto group = group_of(profile);
        CHECK(group["slow_first_calls"] == 0);
        CHECK(group["slow_first_calls_cost_us"].is_null());
    }
}

TEST_CASE("of few calls nobody knows which are usual", "[slow-start]") {
    for (const auto& calls :
         {Milliseconds{46}, Milliseconds{46, 5}, Milliseconds{46, 40, 5, 5}, Milliseconds{46, 40, 35, 5, 5}})
        CHECK(group_of(profile_of_calls(calls))["slow_first_calls"] == 0);
    CHECK(group_of(profile_of_calls({46, 5, 5}))["slow_first_calls"] == 1);
    CHECK(group_of(profile_of_calls(followed_by({46, 40, 35}, 5)))["slow_first_calls"] == 3);
}

TEST_CASE("groups whose calls take turns begin each for itself", "[slow-start]") {
    LogFolder folder;
    Calls all(shared_calls);
    for (int i = 0; i < 100; ++i) {
        folder.line(all.call(i < 2 ? 50 : 5));
        auto small = all.call(i == 1 ? 50 : 5);
        small.block = 64;
        folder.line(small);
    }
    const auto profile = finished(folder);
    REQUIRE(profile.groups.size() == 2);
    const auto sentences = slow_start_sentences(profile);
    REQUIRE(sentences.size() == 1);
    CHECK(has(sentences[0], "up to 16 KiB, shared: the first 2 of 100 calls took 50 ms each"));
}

TEST_CASE("a group begins on each of its communicators", "[slow-start]") {
    LogFolder folder;
    auto like = shared_calls;
    like.ranks = 2;
    std::vector<Calls> rows;
    for (const char* comm : {"0:1", "2:1"}) {
        like.comm = comm;
        rows.emplace_back(like);
    }
    for (int i = 0; i < 50; ++i)
        for (auto& row : rows) folder.line(row.call(i < 2 ? 50 : 5));
    // Of four ranks two were in each of these calls: two calls of 45 ms too much for each rank.
    const auto profile = finished(folder);
    const auto sentences = slow_start_sentences(profile);
    REQUIRE(sentences.size() == 1);
    CHECK(has(sentences[0],
              "alltoall, 2 ranks, up to 16 KiB, shared: 4 of 100 calls, the first on 2 "
              "communicators, took 50 ms each, the others usually 5.0 ms; that cost 90 ms in all, "));
    CHECK(group_of(profile)["slow_first_calls_cost_us"] == 90'000);
}

TEST_CASE("the order of the calls counts, not that of the lines", "[slow-start]") {
    LogFolder folder;
    Calls in_order(shared_calls);
    std::vector<LogLine> lines;
    for (const double ms : followed_by({46, 40}, 198)) lines.push_back(in_order.call(ms));
    SECTION("the first calls come last") {
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) folder.line(*line);
        CHECK(group_of(finished(folder))["slow_first_calls"] == 2);
    }
    SECTION("the first lines are later calls") {
        lines[0].seq = 300;
        lines[1].seq = 301;
        for (const auto& line : lines) folder.line(line);
        CHECK(group_of(finished(folder))["slow_first_calls"] == 0);
    }
}

TEST_CASE("first calls that waited for a late rank are told from those that were slow themselves",
          "[slow-start]") {
    LogFolder folder;
    Calls in_order(shared_calls);
    for (const double ms : followed_by({46}, 99)) {
        auto line = in_order.call(ms);
        if (ms > 5) line.fastest_us = 6000; // of the rank that came last
        folder.line(line);
    }
    const auto profile = finished(folder);
    const auto sentences = slow_start_sentences(profile);
    REQUIRE(sentences.size() == 1);
    CHECK(has(sentences[0], " of the time in collectives, most of it waiting for late ranks"));
    CHECK(group_of(profile)["slow_first_calls_waiting_us"] == 40'000);
}

TEST_CASE("of very many slow calls or communicators the first are kept", "[slow-start]") {
    SECTION("calls") {
        const auto profile = profile_of_calls(followed_by(Milliseconds(100, 46), 300));
        CHECK(has(slow_start_sentences(profile).at(0), "at least the first 64 of 400 calls took 46 ms each"));
    }
    SECTION("calls, and the last one that is kept is a usual one") {
        const auto profile = profile_of_calls(followed_by(Milliseconds(63, 46), 300));
        CHECK(has(slow_start_sentences(profile).at(0), "shared: the first 63 of 363 calls took"));
    }
    SECTION("communicators") {
        LogFolder folder;
        for (int i = 0; i < 40; ++i) {
            auto like = shared_calls;
            like.comm = "0:" + std::to_string(i);
            Calls calls(like);
            for (const double ms : {50, 5, 5}) folder.line(calls.call(ms));
        }
        CHECK(has(slow_start_sentences(finished(folder)).at(0),
                  "at least 16 of 120 calls, the first on 16 communicators, took 50 ms each"));
    }
}

TEST_CASE("what costs little has no sentence", "[slow-start]") {
    const auto said = [](const Milliseconds& calls, double wall_s) {
        const auto profile = profile_of_calls(calls, shared_calls, wall_s);
        CHECK(group_of(profile)["slow_first_calls"] == 1);
        return !slow_start_sentences(profile).empty();
    };
    CHECK(said(followed_by({46}, 500), 10));
    CHECK_FALSE(said(followed_by({46}, 900), 10)); // 0.9 % of the time in collectives
    CHECK_FALSE(said(followed_by({46}, 500), 50)); // 0.08 % of the wall time
}

TEST_CASE("the highest cost comes first, and very many groups have few sentences", "[slow-start]") {
    LogFolder folder;
    for (int bits = 0; bits < 12; ++bits) {
        auto like = shared_calls;
        like.block = 1L << bits;
        Calls calls(like);
        for (const double ms : followed_by({50.0 + bits}, 9)) folder.line(calls.call(ms));
    }
    const auto sentences = slow_start_sentences(finished(folder));
    REQUIRE(sentences.size() == 11);
    CHECK(has(sentences[0], "up to 2 KiB, shared: the first of 10 calls took 61 ms"));
    CHECK(sentences[10] == "2 call groups with lower costs: switchyard report --format csv");
}

TEST_CASE("a summary and a sum of runs have no first calls", "[slow-start]") {
    SECTION("a summary") {
        LogFolder folder("summary.jsonl");
        Calls in_order(shared_calls);
        for (const double ms : followed_by({46}, 9)) folder.line(in_order.call(ms));
        CHECK(group_of(finished(folder))["slow_first_calls"] == 0);
    }
    SECTION("two runs") {
        RunsFolder folder;
        Calls in_order(shared_calls);
        std::vector<LogLine> lines;
        for (const double ms : followed_by({46}, 9)) lines.push_back(in_order.call(ms));
        for (const char* name : {"a", "b"}) folder.run({.name = name, .started = name}, lines);
        const auto pools = pool_runs(folder.path()).pools;
        REQUIRE(pools.size() == 1);
        CHECK(pools[0].sum.calls == 20);
        CHECK(slow_start_sentences(pools[0].sum).empty());
    }
}

TEST_CASE("names of a log do no harm in these sentences", "[slow-start]") {
    auto like = shared_calls;
    like.collective = "<b>\\u001b[31m" + std::string(500, 'x');
    like.algorithm = "<script>";
    const auto profile = profile_of_calls(followed_by({46}, 9), like);
    CHECK_FALSE(has(written(print_text, profile), "\x1b"));
    std::ostringstream page;
    write_html(profile, page);
    CHECK(has(page.str(), "&lt;script&gt;: the first of 10 calls"));
    CHECK_FALSE(has(page.str(), "<b>\\x1b"));
}
