// What communicators learn: kept by kind, sent as lines, and made into a policy.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"

#include "policy/vocabulary.hpp"
#include "shim/common/learning/chooser.hpp"
#include "shim/common/learning/learned_policy.hpp"
#include "shim/common/learning/lesson_json.hpp"
#include "shim/common/learning/outcome.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace switchyard;
using algorithms::Collective;
using shim::adaptive::learned_policy;
using shim::adaptive::Lesson;
using shim::adaptive::Lessons;
using shim::adaptive::no_time;
using shim::adaptive::outcome;
using switchyard::tests::parsed;

namespace {

const shim::adaptive::Circumstances circumstances_here{"app", "2026-11-21T09:30:00+0100", "Open MPI v4.1.4"};

Lesson lesson(std::uint64_t least, std::uint64_t most, std::optional<std::size_t> best) {
    Lesson lesson;
    lesson.subject = {.collective = Collective::alltoall, .ranks = 8, .nodes = 2, .ranks_per_node = 4};
    lesson.subject.least_block = least;
    lesson.subject.most_block = most;
    lesson.subject.rule = "by trial";
    lesson.tried = {{R"({"algorithm":"native"})", 12'000, 5, false},
                    {R"({"algorithm":"parameterized_bruck","radix":4})", 8'100, 5, false},
                    {R"({"algorithm":"spread_out"})", no_time, 0, true}};
    lesson.best = best;
    lesson.own_calls = lesson.calls = 100;
    lesson.trial_calls = 12;
    lesson.regret = 25'500;
    return lesson;
}

policy::Policy learned(const std::vector<Lesson>& lessons) {
    const auto text = learned_policy(lessons, circumstances_here);
    INFO(text);
    return parsed(text);
}

} // namespace

TEST_CASE("what was learned fits into a sentence: the policy, who won, and the regret", "[adaptive]") {
    const auto won = lesson(3, 4, 1), lost = lesson(5, 8, 0), open = lesson(9, 16, std::nullopt);
    CHECK(
        outcome({won, won, lost, open}, true) ==
        "learned.policy.json: parameterized_bruck radix=4 won 2 of 4 kinds of calls, native 1, undecided 1; "
        "48 of 400 calls were trials, which lost 102.0 us");
    CHECK(outcome({lost}, true) == "learned.policy.json: native won 1 of 1 kind of calls; 12 of 100 calls "
                                   "were trials, which lost 25.5 us");
    CHECK(outcome({open, open}, false) == "learned: none of 2 kinds of calls was tried to the end; 24 of 200 "
                                          "calls were trials, which lost 51.0 us");
    auto costly = lost;
    costly.regret = 2.5e9;
    CHECK(outcome({costly}, true).ends_with("lost 2.50 s"));
    costly.regret = -10;
    CHECK(outcome({costly}, true).ends_with("lost 0.0 us"));
    std::vector<Lesson> many(5, won);
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i].tried[1].use = R"({"algorithm":"tuna","radix":)" + std::to_string(i + 2) + "}";
    CHECK(outcome(many, true)
              .find("tuna radix=2 won 1 of 5 kinds of calls, tuna radix=3 1, tuna radix=4 1, others 2;") !=
          std::string::npos);
    CHECK(outcome({}, false).empty());
}

TEST_CASE("a lesson survives the way to rank 0", "[adaptive]") {
    Lessons sent, received;
    auto odd = lesson(3, 4, std::nullopt);
    odd.subject.rule = "quotes \" and ü";
    odd.subject.in_place = odd.subject.on_device = true;
    auto proven = lesson(5, 8, 1);
    proven.proof = {1, 7, 6, 0.675};
    proven.rule_has_blocks = true;
    proven.agreement = 1'500;
    proven.pays_agreement = proven.tried[1].needs_agreement = true;
    sent.add(proven);
    sent.add(odd);
    received.add_lines("not a lesson\n{\"tried\": 3}\n" + sent.to_lines());
    REQUIRE(received.sorted().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(json_of(received.sorted()[i]) == json_of(sent.sorted()[i]));
    CHECK(received.sorted()[0].tried[2].median == no_time);
}

TEST_CASE("a lesson of an older version can be read", "[adaptive]") {
    Lessons sent, received;
    sent.add(lesson(5, 8, 1));
    auto old_lesson = json_of(sent.sorted().front());
    CHECK(old_lesson["calls_of_measured_communicator"] == 100);
    old_lesson["calls_of_who_tried"] = 70;
    old_lesson.erase("calls_of_measured_communicator");
    received.add_lines(old_lesson.dump() + '\n');
    REQUIRE(received.sorted().size() == 1);
    CHECK(received.sorted().front().own_calls == 70);
}

TEST_CASE("communicators of one kind make one lesson: the one with most calls knows best", "[adaptive]") {
    Lessons lessons;
    auto few = lesson(5, 8, 0), many = lesson(5, 8, 1), unsettled = lesson(5, 8, std::nullopt);
    few.calls = few.own_calls = 10;
    unsettled.calls = unsettled.own_calls = 1000;
    for (const auto& one : {few, many, few, few, unsettled}) lessons.add(one);
    for (int i = 0; i < 50; ++i) lessons.add(few); // many calls in all, but never that many of one
    REQUIRE(lessons.sorted().size() == 1);
    const auto& known = lessons.sorted().front();
    CHECK(known.best == 1U);
    CHECK(known.own_calls == 100);
    CHECK(known.calls == 53 * 10 + 100 + 1000);
    CHECK(known.trial_calls == 55 * 12);
    CHECK(known.regret == Approx(55 * 25'500));
}

TEST_CASE("rules are made where something beat native, and of blocks that follow each other one",
          "[adaptive]") {
    const auto policy = learned({lesson(5, 8, 1), lesson(9, 16, 1), lesson(17, 32, 0), lesson(33, 64, 1),
                                 lesson(65, 128, 2), lesson(129, 256, std::nullopt)});
    REQUIRE(policy.rules.size() == 3);
    const auto& first = policy.rules.front();
    CHECK(first.when.collective == Collective::alltoall);
    CHECK(first.when.ranks == policy::Range{8, 8});
    CHECK(first.when.nodes == policy::Range{2, 2});
    CHECK(first.when.ranks_per_node == policy::Range{4, 4});
    CHECK(first.when.max_block_bytes == policy::Range{5, 16});
    CHECK_FALSE(first.when.in_place.has_value()); // asking would cost an agreement
    CHECK_FALSE(first.when.buffer.has_value());
    CHECK(first.use.algorithm == "parameterized_bruck");
    CHECK(first.use.parameters[static_cast<std::size_t>(algorithms::Parameter::radix)] == 4);
    CHECK(first.because ==
          "learned by trial in a run of app on 2026-11-21T09:30:00+0100 with Open MPI v4.1.4; "
          "medians of the slowest rank: "
          "blocks of 5 to 8 bytes: native 12.0 us, parameterized_bruck radix=4 8.1 us, "
          "spread_out not measured (dropped); "
          "blocks of 9 to 16 bytes: native 12.0 us, parameterized_bruck radix=4 8.1 us, "
          "spread_out not measured (dropped); "
          "200 calls, 24 of them trials, which took 51.0 us longer than the best would have");
    CHECK(policy.rules[1].when.max_block_bytes == policy::Range{33, 64});
    CHECK(policy.rules[2].use.algorithm == "spread_out");
    CHECK(policy.otherwise.algorithm == "native");
}

// Of alltoallv: what its candidates took, and whether they need an agreement of 1 us.
Lesson irregular(std::uint64_t most, std::optional<std::size_t> best, std::uint64_t tuna,
                 std::uint64_t spread_out) {
    auto one = lesson(most / 2 + 1, most, best);
    one.subject.collective = Collective::alltoallv;
    one.tried = {{R"({"algorithm":"native"})", 12'000, 5, false},
                 {R"({"algorithm":"tuna","radix":4})", tuna, 5, false, true},
                 {R"({"algorithm":"spread_out"})", spread_out, 5, false, false}};
    one.agreement = 1'000;
    return one;
}

TEST_CASE("where ranks must agree on blocks, one rule for all of them is preferred", "[adaptive]") {
    // spread_out is proven at 8 bytes, and was not slower than native at 16.
    auto policy = learned({irregular(8, 2, 11'500, 9'000), irregular(16, 0, 13'000, 12'000)});
    REQUIRE(policy.rules.size() == 1);
    CHECK(policy.rules.front().use.algorithm == "spread_out");
    CHECK(policy.rules.front().when.max_block_bytes == policy::Range{});
    // It was slower at 16 bytes, and rules with blocks would cost native an agreement there.
    CHECK(learned({irregular(8, 2, 11'500, 9'000), irregular(16, 0, 13'000, 13'000)}).rules.empty());
    CHECK(learned({irregular(8, 1, 5'000, 13'000), irregular(16, 0, 13'000, 13'000)}).rules.empty());
    // Each size has a winner in spite of the agreement.
    policy = learned({irregular(8, 1, 5'000, 13'000), irregular(16, 2, 13'000, 9'000)});
    REQUIRE(policy.rules.size() == 2);
    CHECK(policy.rules.front().use.algorithm == "tuna");
    CHECK(policy.rules.front().when.max_block_bytes == policy::Range{5, 8});
    // A winner, but not with its agreement.
    CHECK(learned({irregular(8, 1, 11'000, 13'000)}).rules.empty());
    auto included = irregular(8, 1, 11'000, 13'000);
    included.pays_agreement = true; // its times have the agreement in them
    CHECK(learned({included}).rules.size() == 1);
    // Within 3 % of rules with blocks: 2 * 7.2 us against 6 + 1 and 7 + 1.
    policy = learned({irregular(8, 1, 6'000, 7'200), irregular(16, 2, 13'000, 7'000)});
    REQUIRE(policy.rules.size() == 1);
    CHECK(policy.rules.front().use.algorithm == "spread_out");
    // spread_out was faster than native in the trials of 16 bytes, and lost its proof there.
    auto lost = irregular(16, 0, 13'000, 10'000);
    lost.proof = {2, 2, 0, 1.04};
    CHECK(learned({irregular(8, 2, 11'500, 9'000), lost}).rules.empty());
    lost.proof->ratio = 0.98; // no slower, but not worth a rule
    CHECK(learned({irregular(8, 2, 11'500, 9'000), lost}).rules.size() == 1);
    // Trials that did not end say nothing.
    policy = learned({irregular(8, 2, 11'500, 9'000), irregular(16, std::nullopt, 13'000, 13'000)});
    CHECK(policy.rules.size() == 1);
}

TEST_CASE("a rule for all blocks comes only from an adaptive rule for all blocks, and from the only one",
          "[adaptive]") {
    auto bounded = irregular(8, 2, 11'500, 9'000);
    bounded.rule_has_blocks = true;
    auto policy = learned({bounded});
    REQUIRE(policy.rules.size() == 1);
    CHECK(policy.rules.front().when.max_block_bytes == policy::Range{5, 8});
    auto other = irregular(16, 2, 11'500, 9'000);
    other.subject.rule = "another";
    bounded.rule_has_blocks = false;
    policy = learned({bounded, other});
    REQUIRE(policy.rules.size() == 2);
    CHECK(policy.rules.front().when.max_block_bytes != policy::Range{});
    CHECK(policy.rules.back().when.max_block_bytes != policy::Range{});
}

TEST_CASE("a rule says how it was proven", "[adaptive]") {
    auto proven = lesson(5, 8, 1);
    proven.proof = {1, 7, 6, 0.675};
    CHECK_THAT(learned({proven}).rules.front().because,
               Catch::Contains("(dropped), proven in 6 of 7 pairs of stretches: 0.68 of native's time;"));
}

TEST_CASE("nothing that beats native makes no rule", "[adaptive]") {
    CHECK(learned({}).rules.empty());
    CHECK(learned({lesson(5, 8, 0), lesson(9, 16, std::nullopt)}).rules.empty());
}

TEST_CASE("in place and device buffers are told from the others where there were both", "[adaptive]") {
    auto in_place = lesson(5, 8, 1), overlapping = lesson(5, 8, 1), device = lesson(5, 8, 2);
    in_place.subject.in_place = true;
    overlapping.subject.in_place = overlapping.subject.overlapping = true;
    device.subject.on_device = true;
    const auto policy = learned({lesson(5, 8, 1), in_place, overlapping, device});
    REQUIRE(policy.rules.size() == 3);
    int rules_in_place = 0, rules_on_device = 0;
    for (const auto& rule : policy.rules) {
        REQUIRE(rule.when.in_place.has_value());
        REQUIRE(rule.when.buffer.has_value());
        rules_in_place += *rule.when.in_place ? 1 : 0;
        rules_on_device += *rule.when.buffer == policy::Buffer::device ? 1 : 0;
    }
    CHECK(rules_in_place == 1);
    CHECK(rules_on_device == 1);
}

TEST_CASE("lessons stay with their subjects, also after they were sorted", "[adaptive]") {
    Lessons lessons;
    for (std::uint64_t block = 2000; block > 0; --block) lessons.add(lesson(block, block, 1));
    REQUIRE(lessons.sorted().size() == 2000);
    for (std::uint64_t block = 1; block <= 2000; ++block) lessons.add(lesson(block, block, 1));
    const auto& sorted = lessons.sorted();
    REQUIRE(sorted.size() == 2000);
    CHECK(sorted.front().subject.least_block == 1);
    CHECK(std::ranges::all_of(sorted, [](const Lesson& one) { return one.calls == 200; }));
}

TEST_CASE("a learned policy keeps to the limits of policies: rules with the most calls stay", "[adaptive]") {
    std::vector<Lesson> lessons;
    for (int ranks = 2; ranks < 3002; ++ranks) {
        auto one = lesson(5, 8, 1);
        one.subject.ranks = one.subject.ranks_per_node = ranks;
        one.subject.nodes = 1;
        one.calls = static_cast<std::uint64_t>(ranks % 3 == 0 ? 1 : 1000 + ranks);
        lessons.push_back(one);
    }
    const auto policy = learned(lessons);
    CHECK(policy.rules.size() == policy::most_rules);
    CHECK(std::ranges::none_of(policy.rules, [](const auto& rule) { return rule.when.ranks.min % 3 == 0; }));
    for (auto& one : lessons) one.tried.resize(101, one.tried.back());
    const auto smaller = learned(lessons); // its text would be too long
    CHECK(smaller.rules.size() > 100);
    CHECK(smaller.rules.back().when.ranks.min == 3001);
    auto wordy = lesson(5, 8, 1);
    wordy.subject.rule = std::string(1000, 'x');
    wordy.tried.resize(101, wordy.tried.back());
    std::vector<Lesson> blocks;
    for (std::uint64_t block = 5; block < 105; ++block) {
        blocks.push_back(wordy);
        blocks.back().subject.least_block = blocks.back().subject.most_block = block;
    }
    const auto long_texts = learned(blocks);
    REQUIRE(long_texts.rules.size() == 1);
    CHECK(long_texts.rules.front().name.size() == policy::longest_name);
    CHECK(long_texts.rules.front().because.size() == policy::longest_because);
}

TEST_CASE("a rule that another hides is left out, whatever the lessons say", "[adaptive]") {
    auto second = lesson(5, 8, 1), nonsense = lesson(40, 64, 1);
    second.subject.rule = "later";
    nonsense.tried[1].use = R"({"algorithm":"no_such_thing"})";
    const auto policy = learned({lesson(5, 8, 1), second, nonsense, lesson(65, 128, 1)});
    CHECK(policy.rules.size() == 2);
}
