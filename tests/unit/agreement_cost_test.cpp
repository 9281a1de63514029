// What an agreement cost, in a sentence: when it is worth one, and which rule it names.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"

#include "policy/parse.hpp"
#include "shim/common/agreement_cost.hpp"

using namespace switchyard;
using switchyard::tests::call_of;

namespace {

policy::Policy two_rules() {
    return policy::parse(R"({"version":1,"rules":[
        {"name":"many","when":{"collective":"alltoallv","ranks":{"min":64},"max_block_bytes":{"max":64}},
         "use":{"algorithm":"linear"}},
        {"name":"few","when":{"collective":"alltoallv","max_block_bytes":{"max":8}},"use":{"algorithm":"pairwise"}}],
        "otherwise":{"algorithm":"native"}})")
        .value();
}

} // namespace

TEST_CASE(
    "an agreement is worth a sentence from a twentieth of the collectives and a hundredth of the run on",
    "[agreement]") {
    const auto cost = [](double whole, double agreeing) {
        shim::AgreementCost sums;
        sums.add_time(whole, agreeing);
        sums.add_cause(call_of(4), agreeing);
        return sums;
    };
    CHECK(cost(100, 5).is_worth_a_sentence(500));
    CHECK_FALSE(cost(100, 4.9).is_worth_a_sentence(400));
    CHECK_FALSE(cost(100, 50).is_worth_a_sentence(5001));
    CHECK(cost(100, 5).is_worth_a_sentence(0));
    CHECK_FALSE(cost(0, 0).is_worth_a_sentence(0));
    CHECK(cost(100, 35.25).sentence(two_rules()) ==
          R"(35.2% of the time in collectives spent agreeing: drop max_block_bytes of rule "few")");
    // Nothing is known of the policy of a damaged log.
    CHECK(cost(100, 35.25).sentence({}) == "35.2% of the time in collectives spent agreeing");
}

TEST_CASE("the costliest kind of calls decides which rule is named", "[agreement]") {
    shim::AgreementCost cost;
    cost.add_time(100, 60);
    cost.add_cause(call_of(64), 20);
    cost.add_cause(call_of(4), 40);
    CHECK(cost.sentence(two_rules()).ends_with(R"(of rule "few")"));
    cost.add_cause(call_of(64), 30);
    CHECK(cost.sentence(two_rules()).ends_with(R"(of rule "many")"));
}
