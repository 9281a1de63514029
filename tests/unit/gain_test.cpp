// What `switchyard prove` says of rounds whose times are known.
#include "tests/support/catch.hpp"
#include "tests/support/texts.hpp"

#include "shim/tune/gain.hpp"

#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::tune;
using switchyard::tests::has;

namespace {

struct Times {
    double bare_s, routed_s, native_collectives_s, routed_collectives_s;
};

Rounds rounds_of(const std::vector<Times>& all) {
    Rounds rounds;
    rounds.native_logs = "logs/native";
    rounds.routed_logs = "logs/policy";
    for (const auto& times : all) {
        rounds.bare.runs.push_back({"", times.bare_s * 1e6, 0, 0});
        rounds.native.runs.push_back({"", times.bare_s * 1e6, times.native_collectives_s * 1e6, 0});
        rounds.routed.runs.push_back({"", times.routed_s * 1e6, times.routed_collectives_s * 1e6, 0});
    }
    rounds.routed.sum.calls = 40 * all.size();
    rounds.routed.sum.routed = 30 * all.size();
    rounds.routed.sum.run.policy_file = "my.policy.json";
    return rounds;
}

std::string gain_of(const Rounds& rounds, const std::string& policy = "my.policy.json") {
    std::ostringstream out;
    print_gain(rounds, policy, out);
    return out.str();
}

const Times faster = {4, 3, 2, 1}, slower = {4, 5, 2, 3};

} // namespace

TEST_CASE("five rounds with one winner are sure", "[gain]") {
    const auto text = gain_of(rounds_of({faster, {4, 2, 2, 0.5}, faster, {4, 3.8, 2, 1.8}, faster}));
    CHECK(has(text, "wall time       4.00 s  3.00 s   0.75  0.50  0.95  faster in 5 of 5 pairs\n"));
    CHECK(has(text, "in collectives  2.00 s  1.00 s   0.50  0.25  0.90  faster in 5 of 5 pairs\n"));
    CHECK(has(text, "30 of 40 calls of a run routed by my.policy.json\n"));
    CHECK(
        has(text, "\nThe program under the policy is faster: it takes 0.75 of the bare program's wall time"));
    CHECK(has(text, "p = 0.062"));
    CHECK(has(text, "switchyard report logs/native logs/policy\n"));
    CHECK_FALSE(has(text, "agreeing"));
    CHECK_FALSE(has(text, "Do not use"));
    CHECK_FALSE(has(text, "tune --program"));
    CHECK_FALSE(has(text, "print the same"));
}

TEST_CASE("a policy that is surely slower is not to be used", "[gain]") {
    const auto rounds = rounds_of({slower, slower, slower, slower, slower});
    CHECK(has(gain_of(rounds), "\nThe program under the policy is slower: "));
    CHECK(has(gain_of(rounds), "Do not use this policy with this program."));
    CHECK(has(gain_of(rounds, ""), "`switchyard tune --program` looks for better rules."));
}

TEST_CASE("four of five rounds are not sure", "[gain]") {
    const auto text = gain_of(rounds_of({faster, faster, slower, faster, faster}));
    CHECK(has(text, "The program under the policy may be faster: "));
    CHECK_FALSE(has(text, "Do not use"));
}

TEST_CASE("one round has a row without a spread", "[gain]") {
    const auto text = gain_of(rounds_of({faster}));
    CHECK(has(text, "0.75  0.75  0.75  faster in 1 of 1 pair\n"));
    CHECK(has(text, "1 pair is too few to be sure, run 5 or more in turn."));
}

TEST_CASE("a program that hardly communicates has nothing to gain", "[gain]") {
    const Times little = {4, 4.1, 0.1, 0.05};
    const auto text = gain_of(rounds_of({little, little}), "");
    CHECK(has(text, "spends 2.5% of its wall time in the collectives that a policy can change"));
    CHECK_FALSE(has(text, "tune --program"));
}

TEST_CASE("time spent agreeing has a row of its own", "[gain]") {
    auto rounds = rounds_of({faster, faster});
    for (auto& run : rounds.routed.runs) run.agreeing_us = 250e3;
    CHECK(has(gain_of(rounds), "  in agreements       -  250.0 ms"));
}

TEST_CASE("lines that all runs print are counted", "[gain]") {
    auto rounds = rounds_of({faster, faster});
    rounds.same_lines = 1;
    CHECK(has(gain_of(rounds), "all 6 runs print the same line\n"));
    rounds.same_lines = 11;
    CHECK(has(gain_of(rounds), "all 6 runs print the same 11 lines\n"));
}
