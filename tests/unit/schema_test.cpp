// The JSON Schema has the parser's keys, collectives, algorithms, parameters, bounds and words.
// schema_agreement.py compares the verdicts of the two on whole policies.
#include "tests/support/catch.hpp"

#include "policy/admissible.hpp"
#include "policy/keys.hpp"
#include "policy/vocabulary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using namespace switchyard;
using nlohmann::json;
using NameSet = std::set<std::string>;

namespace {

const json& schema() {
    static const json read = json::parse(
        std::ifstream(std::string(SWITCHYARD_SOURCE_DIR) + "/config/switchyard-policy.schema.json"));
    return read;
}

// The definition behind a `$ref`.
const json& resolved(const json& node) {
    if (!node.contains("$ref")) return node;
    const auto pointer = node.at("$ref").get<std::string>().substr(1);
    return resolved(schema().at(json::json_pointer(pointer)));
}

NameSet keys_of(const json& object) {
    CHECK(object.at("additionalProperties") == false);
    NameSet names;
    for (const auto& item : object.at("properties").items()) names.insert(item.key());
    return names;
}

NameSet words_in(const json& node) {
    return resolved(node).at("enum").get<NameSet>();
}

template <typename Range>
NameSet names(const Range& range) {
    return NameSet(range.begin(), range.end());
}

void check_bounds(const json& node, std::uint64_t smallest, std::uint64_t largest) {
    const json& number = resolved(node);
    CHECK(number.at("type") == "integer");
    CHECK(number.at("minimum").get<std::uint64_t>() == smallest);
    CHECK(number.at("maximum").get<std::uint64_t>() == largest);
}

void check_range(const json& range, const policy::Range& possible) {
    CHECK(keys_of(range) == names(policy::range_ends));
    CHECK(range.at("minProperties") == 1);
    for (const std::string_view end : policy::range_ends)
        check_bounds(range.at("properties").at(std::string(end)), possible.min, possible.max);
}

void check_list(const json& list, const algorithms::ParameterTraits& parameter) {
    using algorithms::patterns::Radices;
    CHECK(list.at("type") == "array");
    CHECK(list.at("minItems") == 2);
    CHECK(list.at("maxItems") == Radices::most_in_list);
    check_bounds(list.at("items"), static_cast<std::uint64_t>(parameter.minimum),
                 static_cast<std::uint64_t>(Radices::largest_in_list(2)));
}

void check_parameter(const json& node, const algorithms::ParameterTraits& parameter) {
    INFO(parameter.name);
    if (parameter.takes_auto) CHECK(words_in(resolved(node).at("anyOf").at(1)) == NameSet{"auto"});
    if (parameter.takes_list)
        check_list(resolved(node).at("anyOf").at(parameter.takes_auto ? 2 : 1), parameter);
    if (parameter.choices.empty())
        check_bounds(parameter.takes_auto || parameter.takes_list ? resolved(node).at("anyOf").at(0) : node,
                     static_cast<std::uint64_t>(parameter.minimum),
                     static_cast<std::uint64_t>(
                         algorithms::maximum_of(parameter, static_cast<int>(policy::most_ranks))));
    else
        CHECK(words_in(node) == names(parameter.choices));
}

NameSet use_keys_of(const algorithms::Traits& traits) {
    NameSet keys = names(policy::use_keys);
    if (traits.native) keys.erase("in_flight_limit"); // the MPI library starts its own messages
    return keys;
}

// One alternative of `use` has the keys that all uses have, and exactly the algorithm's own parameters.
void check_use(const json& use, const algorithms::Traits& traits) {
    INFO(traits.name);
    NameSet expected = use_keys_of(traits);
    for (const algorithms::Parameter parameter : traits.parameters)
        expected.emplace(traits_of(parameter).name);
    CHECK(keys_of(use) == expected);
    CHECK(use.at("required") == json{"algorithm"});
    for (const algorithms::Parameter parameter : traits.parameters)
        check_parameter(use.at("properties").at(std::string(traits_of(parameter).name)),
                        traits_of(parameter));
    const json& transfer = use.at("properties").at("transfer");
    NameSet transfers;
    for (std::size_t i = 0; i < policy::transfer_names.size(); ++i)
        if (policy::takes(traits, static_cast<policy::Transfer>(i)))
            transfers.emplace(policy::transfer_names[i]);
    if (transfers.size() > 1)
        CHECK(words_in(transfer) == transfers);
    else
        CHECK(resolved(transfer).at("const") == "staged");
    check_bounds(use.at("properties").at("chunk_bytes"), 1, policy::most_bytes);
    CHECK(resolved(use.at("properties").at("barrier_before")).at("type") == "boolean");
    if (!traits.native) check_bounds(use.at("properties").at("in_flight_limit"), 1, policy::most_in_flight);
    check_bounds(use.at("properties").at("memory_limit_bytes"), 0, policy::most_bytes);
}

// `alternatives` are exactly the algorithms of that collective.
void check_alternatives(const json& alternatives, policy::Collective collective) {
    NameSet found;
    for (const json& alternative : alternatives.at("anyOf")) {
        const json& use = resolved(alternative);
        const auto name = use.at("properties").at("algorithm").at("const").get<std::string>();
        CHECK(found.insert(name).second);
        const algorithms::Traits* traits = algorithms::find(collective, name);
        INFO(name);
        REQUIRE(traits != nullptr);
        check_use(use, *traits);
    }
    CHECK(found == names(policy::algorithms_of(collective)));
}

const json& rule_definition() {
    return schema().at("definitions").at("rule");
}

} // namespace

TEST_CASE("schema: keys of a policy and of a rule", "[schema]") {
    CHECK(keys_of(schema()) == names(policy::policy_keys));
    CHECK(schema().at("required").get<NameSet>() == NameSet{"version", "rules", "otherwise"});
    CHECK(schema().at("properties").at("version").at("const") == policy::policy_version);
    CHECK(keys_of(rule_definition()) == names(policy::rule_keys));
    CHECK(rule_definition().at("required").get<NameSet>() == NameSet{"use"});
    CHECK(schema().at("properties").at("rules").at("maxItems") == policy::most_rules);
    CHECK(rule_definition().at("properties").at("name").at("maxLength") == policy::longest_name);
    CHECK(rule_definition().at("properties").at("because").at("maxLength") == policy::longest_because);
}

TEST_CASE("schema: keys, words and ranges of when", "[schema]") {
    const json& when = resolved(rule_definition().at("properties").at("when"));
    CHECK(keys_of(when) == names(policy::names_of_when_keys()));
    for (const policy::Key& key : policy::when_keys()) {
        INFO(key.name);
        const json& value = when.at("properties").at(std::string(key.name));
        switch (key.kind) {
        case policy::Key::Kind::number: check_range(value, key.possible); break;
        case policy::Key::Kind::word: CHECK(words_in(value) == names(key.words)); break;
        case policy::Key::Kind::yes_or_no: CHECK(value.at("type") == "boolean"); break;
        }
    }
}

TEST_CASE("schema: algorithms of each collective with their parameters", "[schema]") {
    NameSet seen;
    for (const json& branch : rule_definition().at("then").at("allOf")) {
        const json& when = branch.at("if").at("properties").at("when");
        const auto name = when.at("properties").at("collective").at("const").get<std::string>();
        INFO(name);
        const auto found =
            std::find(algorithms::collective_names.begin(), algorithms::collective_names.end(), name);
        REQUIRE(found != algorithms::collective_names.end());
        CHECK(seen.insert(name).second);
        check_alternatives(resolved(branch.at("then").at("properties").at("use")),
                           static_cast<policy::Collective>(found - algorithms::collective_names.begin()));
    }
    CHECK(seen == names(algorithms::collective_names));
}

// A rule without a collective is for the collectives that have its algorithm. It takes the parameters that
// some of them take.
TEST_CASE("schema: algorithms where no collective is given", "[schema]") {
    const json& use = rule_definition().at("else").at("properties").at("use");
    CHECK(schema().at("properties").at("otherwise") == use);
    const json& any = resolved(use);
    NameSet expected;
    for (const algorithms::Traits& traits : algorithms::all_traits()) expected.emplace(traits.name);
    NameSet found;
    for (const json& alternative : any.at("anyOf")) {
        const json& one = resolved(alternative);
        const auto name = one.at("properties").at("algorithm").at("const").get<std::string>();
        found.insert(name);
        const auto everywhere = policy::find_all(name, std::nullopt);
        REQUIRE_FALSE(everywhere.empty());
        NameSet keys = use_keys_of(*everywhere.front());
        for (const algorithms::ParameterTraits& parameter : algorithms::parameter_vocabulary())
            if (std::any_of(everywhere.begin(), everywhere.end(),
                            [&](const auto* traits) { return traits->takes(parameter.parameter); }))
                keys.emplace(parameter.name);
        CHECK(keys_of(one) == keys);
    }
    CHECK(found == expected);
}
