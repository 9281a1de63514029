// What a performance engineer looks for first in a log's page: the share of waiting, the dearest calls and why, what the
// policy did, what to type next; and that the page has them first.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/next_steps.hpp"
#include "shim/report/facts/why_slow.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::count;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::profile_of;
using switchyard::tests::report_page;
using switchyard::tests::without;

namespace {

using Texts = std::vector<std::string>;

// Four ranks that ran `./app 'an input'` for a hundredth of a second.
void end_run(LogFolder& folder, const json& more = json::object()) {
    json run = {{"switchyard", "0.1.0"}, {"complete", true},
                {"program", "app"},      {"ranks", 4},
                {"wall_s", 0.01},        {"command_line", {"./app", "an input"}}};
    run.update(more);
    folder.run_json(run.dump());
}

Profile profile_with(const std::vector<LogLine>& lines, const json& more = json::object()) {
    LogFolder folder;
    for (const auto& line : lines) folder.line(line);
    end_run(folder, more);
    return profile_of(folder);
}

Texts commands_of(const Profile& profile) {
    Texts commands;
    for (const auto& step : next_steps(profile)) commands.push_back(step.command);
    return commands;
}

// A routed call of a millisecond that hardly waits.
LogLine routed() {
    return {.algorithm = "tuna", .rule = "small", .mean_us = 1000, .agree_us = 0, .fastest_us = 990};
}

Texts all_matches(const std::string& text, const std::string& expression) {
    const std::regex pattern(expression);
    Texts found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        found.push_back((*at)[1]);
    return found;
}

} // namespace

TEST_CASE("waiting is the time beyond the fastest rank of each call, of all ranks", "[first_screen]") {
    const auto profile =
        profile_with({{.mean_us = 100, .fastest_us = 40}, {.mean_us = 60, .fastest_us = 60}});
    CHECK(profile.rank_us.whole == 4 * 160);
    CHECK(profile.rank_us.waiting == 4 * 60);
    CHECK_FALSE(is_mostly_waiting(profile));
    CHECK(is_mostly_waiting(profile_with({{.mean_us = 100, .fastest_us = 50}})));
    // A log without the fastest rank's time, or with an impossible one, has no negative waiting.
    CHECK(profile_with({{.mean_us = 100, .fastest_us = 400}}).rank_us.waiting == 0);
}

TEST_CASE("the dearest groups come with what took their time", "[first_screen]") {
    const auto profile =
        profile_with({{.collective = "alltoall", .mean_us = 500, .agree_us = 100, .fastest_us = 100},
                      {.collective = "allgather", .mean_us = 300, .agree_us = 2, .fastest_us = 290},
                      {.block = 512, .mean_us = 150, .agree_us = 75, .fastest_us = 149},
                      {.block = 64, .mean_us = 50, .fastest_us = 50}});
    const auto dearest = dearest_groups(profile);
    REQUIRE(dearest.size() == 3);
    CHECK(dearest[0].share == "50.0%");
    CHECK(dearest[0].name == "alltoall, 4 ranks, up to 64 B, native");
    CHECK(dearest[0].usual == "1 call, 500 us");
    CHECK(dearest[0].causes == Texts{"80.0% waiting for late ranks", "20.0% agreement"});
    CHECK(dearest[1].causes == Texts{"the exchange itself"});
    CHECK(dearest[2].causes == Texts{"50.0% agreement"});
}

TEST_CASE("a cliff and slow first calls are causes", "[first_screen]") {
    std::vector<LogLine> lines;
    for (int seq = 1; seq <= 20; ++seq) {
        lines.push_back({.block = 2, .mean_us = 5000, .agree_us = 0, .seq = seq, .fastest_us = 4990});
        lines.push_back({.block = 64,
                         .mean_us = seq == 1 ? 3000.0 : 100.0,
                         .agree_us = 0,
                         .seq = seq,
                         .fastest_us = seq == 1 ? 2999.0 : 99.0,
                         .most_sent = 400});
    }
    const auto dearest = dearest_groups(profile_with(lines));
    REQUIRE(dearest.size() == 2);
    CHECK(dearest[0].usual == "20 calls, usually 5.0 ms each");
    CHECK(dearest[0].causes == Texts{"a cliff: 50 times as long as calls of up to 64 B"});
    CHECK(dearest[1].causes == Texts{"59.2% slow first call"});
}

TEST_CASE("the policy's answer counts what was routed, what fell back, and names the agreement",
          "[first_screen]") {
    const auto said = [](const Profile& profile) { return policy_sentences(profile, chosen_by(profile)); };
    CHECK(said(profile_with({routed(), {.mean_us = 3000, .agree_us = 0}})) ==
          Texts{"1 of 2 calls was routed, with 25.0% of the time"});
    CHECK(said(profile_with({routed(), routed()})) == Texts{"All 2 calls were routed"});
    CHECK(said(profile_with({routed()})) == Texts{"The call was routed"});
    CHECK(said(profile_with({{}, {}})) == Texts{"All 2 calls ran in the MPI itself: nothing was routed"});
    auto fallen = routed();
    fallen.reason = "rule 1 passed over: no memory";
    const auto sentences = said(profile_with({routed(), fallen}));
    REQUIRE(sentences.size() == 2);
    CHECK(sentences[1] == "In 1 call a rule could not run, and another algorithm ran");
    auto agreeing = routed();
    agreeing.agree_us = 500;
    const auto costly = said(profile_with({agreeing}));
    REQUIRE(costly.size() == 1);
    CHECK(has(costly[0], "1 of 1 call routed, 50.0% of the time in collectives spent agreeing"));
}

TEST_CASE("what to type next follows from the log", "[first_screen]") {
    const std::string prove = "switchyard prove --launcher \"mpirun -n 4\" -- ./app 'an input'";
    CHECK(commands_of(profile_with({routed()})) == Texts{prove});
    CHECK(commands_of(profile_with(
              {routed()}, {{"policy_file", "/usr/share/switchyard/default.policy.json"}})) == Texts{prove});
    CHECK(commands_of(profile_with({routed()}, {{"policy_file", "my policy.json"}})) ==
          Texts{"switchyard prove --policy 'my policy.json' --launcher \"mpirun -n 4\" -- ./app 'an input'"});

    SECTION("nothing was routed, or by force: the tuner looks for rules") {
        auto forced = routed();
        forced.reason = "forced";
        for (const auto& line : {LogLine{.mean_us = 1000, .fastest_us = 990}, forced}) {
            const auto profile = profile_with({line});
            CHECK(commands_of(profile) == Texts{"switchyard tune --from " + profile.run.directory +
                                                " --launcher \"mpirun -n 4\" -o my.policy.json"});
        }
    }
    SECTION("mostly waiting: which ranks come late?") {
        auto waiting = routed();
        waiting.fastest_us = 100;
        CHECK(commands_of(profile_with({waiting})) ==
              Texts{"mpirun -n 4 switchyard run --detail ranks -- ./app 'an input'", prove});
        LogFolder folder;
        folder.line(waiting);
        folder.file("rank-0.jsonl",
                    R"({"world_rank":0,"comm":"world","collective":"alltoallv","time_us":7})");
        end_run(folder);
        CHECK(commands_of(profile_of(folder)) == Texts{prove}); // the page shows the ranks
    }
    SECTION("too little time: no policy helps, so there is nothing to type") {
        const auto steps = next_steps(profile_with({routed()}, {{"wall_s", 1.0}}));
        REQUIRE(steps.size() == 1);
        CHECK(steps[0].command.empty());
        CHECK(has(steps[0].why, "A policy can change 0.1% of the wall time"));
    }
    SECTION("no calls: does the preload reach the program?") {
        CHECK(commands_of(profile_with({})) == Texts{"ldd \"$(command -v ./app)\" | grep -i mpi"});
    }
    SECTION("only calls that are counted: no policy helps") {
        CHECK(
            commands_of(profile_with(
                {}, {{"seen", {{{"collective", "allreduce"}, {"calls", 1}, {"time_us", {{"sum", 9}}}}}}})) ==
            Texts{""});
    }
    SECTION("of many steps the first and the last are kept") {
        std::vector<LogLine> lines;
        for (int seq = 1; seq <= 20; ++seq) {
            lines.push_back({.algorithm = "tuna",
                             .rule = "small",
                             .block = 2,
                             .mean_us = 5000,
                             .agree_us = 2500,
                             .seq = seq,
                             .fastest_us = 1990});
            lines.push_back({.block = 64, .mean_us = 100, .seq = seq, .fastest_us = 99, .most_sent = 400});
        }
        const auto commands = commands_of(profile_with(lines, {{"policy_file", "p.json"}}));
        REQUIRE(commands.size() == 3);
        CHECK(has(commands[0], "switchyard tune --collective alltoallv --ranks 4 --max-block 2"));
        CHECK(has(commands[1], "--detail ranks"));
        CHECK(has(commands[2], "switchyard prove --policy p.json"));
    }
}

TEST_CASE("a word for a shell is one word", "[first_screen]") {
    CHECK(shell_word("./app") == "./app");
    CHECK(shell_word("--size=3,4") == "--size=3,4");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("two words") == "'two words'");
    CHECK(shell_word("$(rm -r x)") == "'$(rm -r x)'");
    CHECK(shell_word("it's") == "'it'\\''s'");
}

TEST_CASE("a comparison is repeated with both policies, if they differ", "[first_screen]") {
    const auto a = profile_with({routed()}, {{"policy_file", "a.json"}}), b = profile_with({routed()});
    CHECK_FALSE(more_pairs(a, a, 1));
    const auto step = more_pairs(a, b, 1);
    REQUIRE(step);
    CHECK(step->command ==
          "for i in $(seq 5); do mpirun -n 4 switchyard run --policy a.json --log before -- ./app "
          "'an input'; mpirun -n 4 switchyard run --log after -- ./app 'an input'; done; "
          "switchyard report before after");
    CHECK(has(more_pairs(a, b, 6)->command, "$(seq 12)"));
}

TEST_CASE("the page has the answers first, then sections in the order of the questions", "[first_screen]") {
    LogFolder folder;
    auto waiting = routed();
    waiting.fastest_us = 250;
    folder.line(waiting);
    for (const std::string rank : {"0", "1"})
        folder.file("rank-" + rank + ".jsonl",
                    R"({"world_rank":)" + rank +
                        R"(,"comm":"world","collective":"alltoallv","begin_us":3,"time_us":)" +
                        (rank == "0" ? "900}" : "100}"));
    end_run(folder, {{"seen", {{{"collective", "allreduce"}, {"calls", 1}, {"time_us", {{"sum", 4000}}}}}}});
    const auto page = without(without(report_page(profile_of(folder)), page_script.text), page_style);
    CHECK(has(page, "<b>20.0%</b><span>of the wall time in collectives</span>"));
    CHECK(has(page, "<b>10.0%</b><span>of the wall time can a policy change</span>"));
    CHECK(has(page, "<b>75.0%</b><span>waiting for late ranks</span>"));
    CHECK(has(page, "; latest: rank 1</small>"));
    CHECK(all_matches(page, "<section[^>]* id=\"([a-z-]+)\"") == Texts{"cards", "answers", "groups",
                                                                       "counted", "ranks", "over-time",
                                                                       "policy", "blocks", "sizes", "run"});
    CHECK(all_matches(page, "<h2>([^<]*)</h2>") ==
          Texts{"Slowest calls, and why", "What the policy did", "What to type next", "Where the time went",
                "Counted, not routed", "Ranks", "Time of a call, over the run", "Who chose the algorithm",
                "Blocks and algorithms", "Sizes", "The run"});
    CHECK(page.find("<code>switchyard prove") < page.find("id=\"groups\""));
}

TEST_CASE("links lead to places of the page, and each place has a name of its own", "[first_screen]") {
    for (const auto& lines : {std::vector<LogLine>{}, std::vector<LogLine>{routed()}}) {
        const auto page = without(without(report_page(profile_with(lines)), page_script.text), page_style);
        const auto ids = all_matches(page, " id=\"([^\"]*)\"");
        const std::set<std::string> places(ids.begin(), ids.end());
        CHECK(places.size() == ids.size());
        const auto links = all_matches(page, " href=\"([^\"]*)\"");
        CHECK(links.empty() == lines.empty());
        for (const auto& link : links) CHECK((link.starts_with('#') && places.contains(link.substr(1))));
    }
}

TEST_CASE("each head of a table says that it is a column's", "[first_screen]") {
    const auto page = report_page(profile_with({routed()}));
    CHECK(count(page, "<th ") == count(page, "<th scope=\"col\""));
    CHECK(count(page, "<th scope=\"col\"") > 20);
    CHECK(count(page, "<th>") == 0);
}
