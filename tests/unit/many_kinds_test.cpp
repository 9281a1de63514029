// A log with very many kinds of calls: the work grows with the kinds, not with their square.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"

#include "shim/report/facts/chosen_by.hpp"
#include "shim/report/facts/compare.hpp"
#include "shim/report/facts/policy_on_log.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/read/places.hpp"
#include "shim/report/text/report_text.hpp"

#include <set>
#include <sstream>

using namespace switchyard;
using namespace switchyard::shim;
using namespace switchyard::shim::report;

namespace {

// Counts how often keys are compared.
struct CountedKey {
    int value;
    static inline std::size_t comparisons = 0;
    bool operator<(const CountedKey& other) const {
        ++comparisons;
        return value < other.value;
    }
};

CallKind kind_of_many(int i) {
    CallKind kind;
    kind.collective = "alltoallv";
    kind.algorithm = "tuna";
    kind.parameters = "radix=" + std::to_string(i);
    kind.rule = "rule " + std::to_string(i);
    kind.reason = "rule";
    kind.buffer = "host";
    kind.ranks = i + 1;
    return kind;
}

// Each rule is for some numbers of ranks.
constexpr std::uint64_t ranks_of_rule = 40;
policy::Policy policy_of_many(std::uint64_t rules) {
    policy::Policy policy;
    for (std::uint64_t i = 0; i < rules; ++i) {
        auto& rule = policy.rules.emplace_back();
        rule.name = "rule " + std::to_string(i);
        rule.when.ranks = {ranks_of_rule * i + 1, ranks_of_rule * (i + 1)};
        rule.use.algorithm = "spread_out";
    }
    return policy;
}

Profile profile_of_many(int kinds) {
    ProfileBuilder builder;
    Call call;
    for (int i = 0; i < kinds; ++i) {
        call.kind = kind_of_many(i);
        call.time_mean = call.time_max = i + 1;
        call.ranks_seen = 1;
        builder.add(call);
    }
    return builder.take({});
}

} // namespace

TEST_CASE("a key is found with few comparisons, however many there are", "[report]") {
    Places<CountedKey> places;
    constexpr int keys = 1 << 14, most_comparisons = 40; // a list of all keys takes 8192 on average
    CountedKey::comparisons = 0;
    for (int i = 0; i < keys; ++i) CHECK(places.add({i * 7919 % keys}) == std::pair(std::size_t(i), true));
    for (int i = 0; i < keys; ++i) CHECK(places.add({i * 7919 % keys}) == std::pair(std::size_t(i), false));
    CHECK(CountedKey::comparisons < std::size_t{2} * keys * most_comparisons);
    CHECK(places.of({7919}) == 1);
}

TEST_CASE("kinds that differ in one number have different hashes", "[report]") {
    constexpr int numbers = 1000;
    std::set<std::size_t> hashes;
    for (const auto member : {&CallKind::ranks, &CallKind::nodes, &CallKind::ranks_per_node})
        for (int i = 1; i <= numbers; ++i) {
            CallKind kind;
            kind.*member = i;
            hashes.insert(CallKindHash{}(kind));
        }
    CHECK(hashes.size() == 3 * numbers);
}

TEST_CASE("every kind of very many is in the report once, with the rule that chose it", "[report]") {
    constexpr int kinds = 40'000;
    const auto profile = profile_of_many(kinds);
    REQUIRE(profile.groups.size() == kinds);
    const auto deciders = chosen_by(profile);
    REQUIRE(deciders.size() == kinds);
    const DeciderPlaces places(deciders);
    for (const auto& group : profile.groups) CHECK(deciders[places.of(group.kind)].rule == group.kind.rule);
    const auto compared = compare(profile, profile);
    CHECK(compared.size() == kinds);
    CHECK(compared.front().sides[0].algorithms == "tuna radix=39999");
    std::ostringstream text, page;
    print_text(profile, text);
    write_html(profile, page);
    CHECK(text.str().find("alltoallv, 40000 ranks:") != std::string::npos);
    CHECK(page.str().size() < 2'000'000);
}

TEST_CASE("many rules and many kinds of calls find each other", "[policy]") {
    constexpr int rules = 100, kinds = 4000;
    const auto policy = policy_of_many(rules);
    PolicyOnLog asked(policy);
    Call call;
    for (int i = 0; i < kinds; ++i) {
        call.kind = kind_of_many(i);
        call.time_mean = i + 1;
        call.ranks_seen = 1;
        asked.add(call);
    }
    const auto groups = asked.groups();
    REQUIRE(groups.size() == kinds);
    for (const auto& group : groups) CHECK(group.rule == std::size_t(group.kind.ranks - 1) / ranks_of_rule);
    CHECK(asked.idle_rules().empty());
}

TEST_CASE("very many collectives that nobody knows are told apart", "[policy]") {
    constexpr int kinds = 40'000;
    const policy::Policy policy;
    PolicyOnLog asked(policy);
    Call call;
    for (int i = 0; i < kinds; ++i) {
        call.kind = kind_of_many(i);
        call.kind.collective = "unknown " + std::to_string(i);
        asked.add(call);
    }
    CHECK(asked.groups().size() == kinds);
}
