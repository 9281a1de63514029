// How a policy does without the agreement on the largest block: what is advised, and that the advice works.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"

#include "policy/agreement_advice.hpp"
#include "policy/prune.hpp"

using namespace switchyard;
using policy::FixedFeatures;
using switchyard::tests::call_of;
using switchyard::tests::policy_of;

namespace {

std::string rule(const std::string& name, const std::string& when, const std::string& use) {
    return R"({"name":")" + name + R"(","when":{"collective":"alltoallv")" + when + R"(},"use":{)" + use +
           "}}";
}

bool agrees(const policy::Policy& policy, const FixedFeatures& call) {
    return agrees_on_block(prune(policy, call), call);
}

const std::string small = R"(,"max_block_bytes":{"max":512})";

} // namespace

TEST_CASE("the advice names the rule that makes the ranks agree, and following it spares the agreement",
          "[agreement]") {
    struct Case {
        std::string rules, advice, changed;
    };
    for (const auto& [rules, advice, changed] : {
             Case{rule("small", small, R"("algorithm":"pairwise")"),
                  R"(drop max_block_bytes of rule "small")", rule("small", "", R"("algorithm":"pairwise")")},
             Case{rule("small", small, R"("algorithm":"tuna","radix":2)"),
                  R"(set direct_from to 513 in rule "small" instead of max_block_bytes)",
                  rule("small", "", R"("algorithm":"tuna","radix":2,"direct_from":513)")},
             Case{rule("all", "", R"("algorithm":"tuna","radix":2)"),
                  R"(set direct_from to "auto" in rule "all")",
                  rule("all", "", R"("algorithm":"tuna","radix":2,"direct_from":"auto")")},
             Case{rule("skewed", R"(,"skew":{"min":4})", R"("algorithm":"pairwise")"),
                  R"(drop skew of rule "skewed")", rule("skewed", "", R"("algorithm":"pairwise")")},
             Case{rule("both", R"(,"max_block_bytes":{"max":512},"skew":{"min":4})", R"("algorithm":"tuna")"),
                  R"(set direct_from to 513 in rule "both" instead of max_block_bytes and skew)",
                  rule("both", "", R"("algorithm":"tuna","direct_from":513)")},
             Case{rule("large", R"(,"max_block_bytes":{"min":4096})", R"("algorithm":"native")") + "," +
                      rule("rest", "", R"("algorithm":"pairwise")"),
                  R"(drop rule "large")", rule("rest", "", R"("algorithm":"pairwise")")},
             // The first rule takes every call without its bound, so the second one asks for nothing.
             Case{rule("small", small, R"("algorithm":"pairwise")") + "," +
                      rule("middle", R"(,"max_block_bytes":{"min":513,"max":4096})",
                           R"("algorithm":"linear")"),
                  R"(drop max_block_bytes of rule "small")", rule("small", "", R"("algorithm":"pairwise")")},
         }) {
        INFO(advice);
        const auto policy = policy_of(rules);
        CHECK(agrees(policy, call_of(4)));
        CHECK(how_to_spare_agreement(policy, call_of(4)) == advice);
        CHECK_FALSE(agrees(policy_of(changed), call_of(4)));
        CHECK(how_to_spare_agreement(policy_of(changed), call_of(4)).empty());
    }
}

TEST_CASE("rules for other communicators are not blamed", "[agreement]") {
    const auto policy = policy_of(
        rule("many", R"(,"ranks":{"min":64},"max_block_bytes":{"max":64})", R"("algorithm":"linear")") + "," +
        rule("few", R"(,"max_block_bytes":{"max":8})", R"("algorithm":"pairwise")"));
    CHECK(how_to_spare_agreement(policy, call_of(4)) == R"(drop max_block_bytes of rule "few")");
    CHECK(how_to_spare_agreement(policy, call_of(64)) == R"(drop max_block_bytes of rule "many")");
    auto alltoall = call_of(64);
    alltoall.collective = policy::Collective::alltoall;
    CHECK(how_to_spare_agreement(policy, alltoall).empty());
}

TEST_CASE("where no change spares the agreement, the advice says who needs it", "[agreement]") {
    const auto padded = policy_of(rule("padded", "", R"("algorithm":"padded_alltoall")"));
    CHECK(how_to_spare_agreement(padded, call_of(4)) == R"(rule "padded" needs it for padded_alltoall)");
    const auto otherwise = policy_of("", R"({"algorithm":"tuna"})");
    CHECK(how_to_spare_agreement(otherwise, call_of(4)) == "otherwise needs it");
}

TEST_CASE("a policy of many rules gets a short advice", "[agreement]") {
    std::string rules;
    for (int i = 0; i < 900; ++i)
        rules += (i > 0 ? "," : "") +
                 rule("rule" + std::to_string(i),
                      R"(,"ranks":{"min":4},"max_block_bytes":{"min":)" + std::to_string(10 * i) +
                          R"(,"max":)" + std::to_string(10 * i + 9) + "}",
                      R"("algorithm":"padded_alltoall")");
    const auto advice = how_to_spare_agreement(policy_of(rules), call_of(4));
    CHECK(advice.ends_with("; and so on"));
    CHECK(advice.size() < 300);
}

TEST_CASE("a policy is asked whether a bound on blocks makes some call agree", "[agreement]") {
    const auto call =
        call_that_agrees_for_bound(policy_of(rule("small", small, R"("algorithm":"pairwise")")));
    REQUIRE(call);
    CHECK(call->call.ranks == 4);
    CHECK(call->keys == std::vector<std::string>{"max_block_bytes"});
    const auto wide = call_that_agrees_for_bound(policy_of(
        rule("wide", R"(,"nodes":{"min":8},"max_block_bytes":{"max":64})", R"("algorithm":"linear")")));
    REQUIRE(wide);
    CHECK(wide->call.nodes >= 8);
    const auto skewed = call_that_agrees_for_bound(policy_of(
        rule("skewed", R"(,"skew":{"min":4},"total_bytes":{"max":64})", R"("algorithm":"linear")")));
    REQUIRE(skewed);
    CHECK(skewed->keys == std::vector<std::string>{"total_bytes", "skew"});
    CHECK_FALSE(call_that_agrees_for_bound(policy_of("")));
    CHECK_FALSE(call_that_agrees_for_bound(policy_of(rule("native", small, R"("algorithm":"native")"))));
    CHECK_FALSE(call_that_agrees_for_bound(policy_of(rule("all", "", R"("algorithm":"tuna")"))));
    CHECK_FALSE(
        call_that_agrees_for_bound(policy_of(rule("all", "", R"("algorithm":"tuna","radix":"auto")"))));
}
