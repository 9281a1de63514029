// A policy asked about a whole log, and about all calls that can be.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/policy_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/cliff_rules.hpp"
#include "shim/report/page/coverage_plot.hpp"
#include "shim/report/text/policy_text.hpp"

#include <algorithm>
#include <map>
#include <sstream>

using namespace switchyard;
using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::tests::has;
using switchyard::tests::LogLine;
using switchyard::tests::parsed;

namespace {

const char* const four_rules = R"({"version":1,"rules":[
    {"name":"small","when":{"collective":"alltoallv","max_block_bytes":{"max":100}},"use":{"algorithm":"tuna","radix":4}},
    {"name":"large radix","when":{"collective":"alltoallv","ranks":{"max":100}},"use":{"algorithm":"tuna","radix":64}},
    {"name":"many","when":{"ranks":{"min":512}},"use":{"algorithm":"pairwise"}},
    {"name":"last","when":{"collective":"alltoallv","ranks":{"min":9}},"use":{"algorithm":"scattered"}}],
    "otherwise":{"algorithm":"native"}})";

struct Asked {
    explicit Asked(const policy::Policy& policy) : on_log(policy) {}
    PolicyOnLog on_log;
    ProfileBuilder builder;
    void line(const LogLine& line) {
        Call call;
        REQUIRE(parse_call(line.text(), call));
        on_log.add(call);
        builder.add(call);
    }
};

} // namespace

TEST_CASE("each call of a log finds its rule, also where a bound cuts a power of two", "[report]") {
    const auto policy = parsed(four_rules);
    Asked asked(policy);
    asked.line(LogLine{.block = 100, .mean_us = 30}); // both of the bucket up to 128
    asked.line(LogLine{.block = 101, .mean_us = 20});
    asked.line(LogLine{.collective = "allgather", .mean_us = 10});
    asked.line(LogLine{.collective = "gatherv", .mean_us = 5}); // no version knows it yet
    const auto groups = asked.on_log.groups();
    REQUIRE(groups.size() == 4);
    CHECK(groups[0].rule == std::size_t{0});
    CHECK(groups[0].algorithm.starts_with("tuna radix=4"));
    CHECK(groups[0].changes());
    CHECK_FALSE(groups[1].rule.has_value());
    CHECK(groups[1].reason.find("radix 64 is more than 4 ranks") != std::string::npos);
    CHECK_FALSE(groups[1].changes());
    CHECK(groups[2].reason == "otherwise");
    CHECK(groups[3].reason.find("does not know") != std::string::npos);

    const auto idle = asked.on_log.idle_rules();
    REQUIRE(idle.size() == 3);
    CHECK(idle[0].rule == 1);
    CHECK(idle[0].why.find("cannot run: radix 64") != std::string::npos);
    CHECK(idle[1].why.find("ranks 4 is below its minimum 512") != std::string::npos);
    CHECK(idle[2].why.find("ranks 4 is below its minimum 9") != std::string::npos);

    std::ostringstream out;
    print_policy_on_log(policy, asked.on_log, asked.builder.take({}), out);
    for (const char* part : {"1 of 4 calls would run differently", "Rules that never fire",
                             "Calls that no rule takes", "1 \"small\"", "no rule matches", "46.2%"}) {
        INFO(out.str());
        CHECK(out.str().find(part) != std::string::npos);
    }
}

TEST_CASE("a rule is idle for the reason that kept out the last of its calls", "[report]") {
    const auto policy = parsed(R"({"version":1,"rules":[
        {"name":"gathers","when":{"collective":"allgather","ranks":{"min":8}},"use":{"algorithm":"ring"}},
        {"when":{"collective":"allgather","max_block_bytes":{"max":10}},"use":{"algorithm":"ring"}},
        {"name":"first","when":{"collective":"alltoallv","max_block_bytes":{"max":100}},"use":{"algorithm":"pairwise"}},
        {"name":"hidden","when":{"collective":"alltoallv","ranks":{"max":8},"max_block_bytes":{"max":120}},
         "use":{"algorithm":"scattered"}},
        {"name":"wide","when":{"collective":"alltoallv","ranks":{"min":4},"max_block_bytes":{"min":125,"max":127}},
         "use":{"algorithm":"tuna","radix":64}},
        {"name":"devices","when":{"buffer":"device","max_block_bytes":{"max":1}},"use":{"algorithm":"pairwise"}},
        {"use":{"algorithm":"basic_bruck"}}],
        "otherwise":{"algorithm":"native"}})");
    Asked asked(policy);
    asked.line(LogLine{
        .collective = "alltoallv", .block = 110, .mean_us = 1000}); // taken by "hidden", the costliest
    asked.line(LogLine{.collective = "alltoallv", .block = 100, .mean_us = 30});
    asked.line(LogLine{.collective = "alltoallv", .block = 126, .mean_us = 30});
    asked.line(LogLine{.collective = "allgather", .block = 64, .mean_us = 20});
    asked.line(LogLine{.collective = "allgather", .block = 4096, .mean_us = 10});
    const auto idle = asked.on_log.idle_rules();
    std::map<std::size_t, std::string> why;
    for (const auto& rule : idle) why[rule.rule] = rule.why;
    // By the calls that cost most all of these would be for another collective.
    CHECK(why[0] == "no call matches; at the calls that come nearest, ranks 4 is below its minimum 8");
    CHECK(why[1] ==
          "no call matches; at the calls that come nearest, max_block_bytes 64 is above its maximum 10");
    CHECK(why.count(2) == 0);
    CHECK(why.count(3) == 0);
    // Only one block of its kind meets it, and not the first.
    CHECK(why[4] == "matches, but cannot run: radix 64 is more than 4 ranks");
    CHECK(why[5] == "no call matches; at the calls that come nearest, it is for device buffers only");
    CHECK(why[6] ==
          "no call matches; at the calls that come nearest, alltoallv has no algorithm \"basic_bruck\"");

    Asked few(policy);
    few.line(LogLine{.collective = "alltoallv", .block = 100, .mean_us = 30});
    for (const auto& rule : few.on_log.idle_rules())
        if (rule.rule == 3) CHECK(rule.why == "rule 3 \"first\" takes its calls");
    CHECK(few.on_log.idle_rules().size() == 6);
}

TEST_CASE("what ran as the policy says is no change, whatever the order of its parameters", "[report]") {
    const auto policy = parsed(R"({"version":1,"rules":[],"otherwise":{"algorithm":"tuna","radix":4}})");
    Call call;
    REQUIRE(
        parse_call(R"({"collective":"alltoallv","ranks":16,"nodes":1,"ranks_per_node":16,"algorithm":"tuna",)"
                   R"("parameters":{"metadata":"fused","in_flight":32,"radix":4},"time_us":{"mean":1}})",
                   call));
    PolicyOnLog asked(policy);
    asked.add(call);
    REQUIRE(asked.groups().size() == 1);
    CHECK_FALSE(asked.groups()[0].changes());
    CHECK(asked.groups()[0].reason == "otherwise");
}

TEST_CASE("device buffers of a log are asked about as such", "[report]") {
    const auto policy = parsed(R"({"version":1,"rules":[{"name":"devices","when":{"collective":"alltoallv",)"
                               R"("buffer":"device"},"use":{"algorithm":"pairwise","transfer":"direct"}}],)"
                               R"("otherwise":{"algorithm":"native"}})");
    PolicyOnLog asked(policy);
    for (const char* buffer :
         {R"("device","transfer":"direct")", R"("device","transfer":"staged")", R"("host")"}) {
        Call call;
        REQUIRE(parse_call(
            R"({"collective":"alltoallv","ranks":4,"nodes":1,"ranks_per_node":4,"algorithm":"native",)"
            R"("parameters":{},"time_us":{"mean":1},"buffer":)" +
                std::string(buffer) + "}",
            call));
        asked.add(call);
    }
    const auto groups = asked.groups();
    REQUIRE(groups.size() == 3);
    for (const auto& group : groups) {
        INFO(group.kind.buffer << ' ' << group.kind.transfer);
        CHECK(group.rule.has_value() == (group.kind.transfer == "direct"));
        CHECK(group.changes() == (group.kind.transfer == "direct"));
        CHECK(group.transfer == group.kind.transfer);
        CHECK((group.reason.find("not GPU-aware") != std::string::npos) == (group.kind.transfer == "staged"));
    }
}

TEST_CASE("a log without calls leaves every rule idle", "[report]") {
    const auto policy = parsed(four_rules);
    const PolicyOnLog asked(policy);
    CHECK(asked.groups().empty());
    REQUIRE(asked.idle_rules().size() == 4);
    CHECK(asked.idle_rules()[0].why == "the log has no calls");
}

TEST_CASE("coverage says which rule takes which calls", "[report]") {
    const auto policy = parsed(four_rules);
    const auto coverage = coverage_of(policy, 4, {2, 8, 16, 512}, {0, 6, 7, 8});
    REQUIRE(coverage.tables.size() == algorithms::collective_count);
    const auto& rows = coverage.tables[0].rows; // alltoallv
    CHECK_FALSE(rows[0][0].rule.has_value());   // radix 4 is more than 2 ranks, radix 64 all the more
    CHECK(rows[0][0].falls_back);
    CHECK(rows[1][1].rule == std::size_t{0});
    CHECK_FALSE(rows[1][1].mixed);
    CHECK(rows[1][2].mixed); // 65 to 100 bytes are small, 101 to 128 are not
    CHECK(rows[1][2].falls_back);
    CHECK(rows[2][3].rule == std::size_t{3});
    CHECK(rows[3][3].rule == std::size_t{2});
    CHECK(rows[3][0].rule == std::size_t{0});
    for (const auto& row : coverage.tables[2].rows) // allgather has no pairwise
        for (const auto& cell : row) CHECK(cell.native);

    std::ostringstream out;
    print_coverage(policy, coverage, out);
    CHECK(out.str().find("1 \"small\": tuna") != std::string::npos);
    CHECK(out.str().find("4 ranks per node") != std::string::npos);
    const auto plot = coverage_plot(policy, coverage);
    CHECK(plot.starts_with("<svg"));
    CHECK(plot.ends_with("</svg>\n"));
    CHECK(plot.find("4: scattered") == std::string::npos); // the legend has names
    CHECK(plot.find("last: scattered") != std::string::npos);
}

TEST_CASE("the usual coverage fits the width of a page of text", "[report]") {
    const auto policy = parsed(four_rules);
    std::ostringstream out;
    print_coverage(policy, coverage_of(policy, 32, usual_ranks(), usual_block_bits()), out);
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);
}

TEST_CASE("a policy names the rule that takes the calls of a cliff", "[report][cliffs]") {
    const auto policy = parsed(R"({"version":1,"rules":[
        {"name":"tiny","when":{"collective":"alltoall","max_block_bytes":{"max":3}},"use":{"algorithm":"pairwise"}}],
        "otherwise":{"algorithm":"native"}})");
    Asked asked(policy);
    const auto calls = [&](long block, double us) {
        LogLine line{.collective = "alltoall", .algorithm = "native", .block = block};
        line.most_sent = 6 * block;
        line.mean_us = line.fastest_us = us;
        for (int i = 0; i < 20; ++i) asked.line(line);
    };
    calls(3, 9000); // the bucket up to 4
    calls(4, 9000);
    calls(8, 5000);
    calls(4096, 50);
    const auto profile = asked.builder.take({});
    const auto sentences = cliff_rules(policy, asked.on_log.groups(), profile);
    REQUIRE(sentences.size() == 2);
    CHECK(sentences[0].starts_with(
        "alltoall, 4 ranks, up to 4 B, native: 180 times as long as calls of up to 4 KiB"));
    CHECK(has(sentences[0],
              "; rule 1 \"tiny\" runs 20 calls with pairwise; no rule changes 20 calls. To find a rule: "));
    CHECK(has(sentences[1],
              "; no rule changes these calls. To find a rule: switchyard tune --collective alltoall "));
    std::ostringstream out;
    print_policy_on_log(policy, asked.on_log, profile, out);
    CHECK(has(out.str(), "\nCliffs: calls that larger calls outrun\n  alltoall, 4 ranks, up to 4 B"));

    const auto otherwise = parsed(R"({"version":1,"rules":[],"otherwise":{"algorithm":"pairwise"}})");
    Asked again(otherwise);
    CHECK(cliff_rules(otherwise, again.on_log.groups(), again.builder.take({})).empty());
}

TEST_CASE("a log's calls have total_bytes and skew of the rank that sends most", "[report]") {
    const auto policy = parsed(R"({"version":1,"rules":[
        {"name":"skewed","when":{"collective":"alltoallv","skew":{"min":4}},"use":{"algorithm":"pairwise"}},
        {"name":"large","when":{"collective":"alltoallv","total_bytes":{"min":1000}},"use":{"algorithm":"linear"}}],
        "otherwise":{"algorithm":"native"}})");
    Asked asked(policy);
    asked.line(LogLine{.block = 64, .mean_us = 40, .most_sent = 48}); // to 3 others: 16 each
    asked.line(LogLine{.block = 63, .mean_us = 30, .most_sent = 48}); // a little less
    asked.line(LogLine{.block = 400, .mean_us = 20, .most_sent = 1000});
    asked.line(LogLine{.block = 400, .mean_us = 10, .calls = 2, .most_sent = 1998}); // 999 in a call
    const auto groups = asked.on_log.groups();
    std::map<std::string, std::uint64_t> calls;
    for (const auto& group : groups) calls[group.algorithm] += group.calls;
    CHECK(calls == std::map<std::string, std::uint64_t>{{"pairwise", 1}, {"linear", 1}, {"native", 3}});
}
