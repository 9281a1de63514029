#include "parse.hpp"
#include "keys.hpp"
#include "reach.hpp"
#include "read_use.hpp"
#include "read_value.hpp"
#include "rule_name.hpp"
#include "spelling.hpp"
#include "vocabulary.hpp"

#include <exception>
#include <map>

namespace switchyard::policy {

namespace {

std::optional<std::size_t> read_word_of(const Key& key, const Value& value, Findings& findings) {
    return &key == &when_keys()[key::collective] ? read_collective(value, findings)
                                                 : read_word(value, key.name, key.words, findings);
}

std::optional<Range> read_condition(const Value& value, const Key& key, Findings& findings) {
    switch (key.kind) {
    case Key::Kind::number: return read_range(value, key.name, key.possible, findings);
    case Key::Kind::word:
        if (const auto word = read_word_of(key, value, findings)) return exactly(*word);
        break;
    case Key::Kind::yes_or_no:
        if (const auto yes = read_boolean(value, key.name, findings)) return exactly(*yes ? 1 : 0);
    }
    return std::nullopt;
}

When read_when(const Value& value, Findings& findings) {
    When when;
    if (!read_object(value, "when", findings)) return when;
    report_unknown_keys(value, names_of_when_keys(), findings);
    for (const Key& key : when_keys())
        if (const Value* given = value.find(key.name))
            if (const auto condition = read_condition(*given, key, findings)) key.want(when, *condition);
    return when;
}

// `number`: of the rule in its policy, from 1.
Rule read_rule(const Value& value, std::size_t number, Findings& findings) {
    Rule rule;
    rule.name = name_by_number(number);
    if (!read_object(value, "a rule", findings)) return rule;
    report_unknown_keys(value, {rule_keys.begin(), rule_keys.end()}, findings);
    report_missing_keys(value, {{"use", R"({"algorithm": "native"})"}}, findings);
    if (const Value* name = value.find("name")) {
        if (const auto text = read_text(*name, "name", longest_name, findings)) {
            rule.name = *text;
            if (text->empty())
                findings.add(name->place, "name is empty; the log identifies rules by their names");
        }
    }
    if (const Value* when = value.find("when")) rule.when = read_when(*when, findings);
    if (const Value* use = value.find("use"))
        rule.use = read_use(*use, {rule.when.collective, rule.when.ranks.max}, findings);
    if (const Value* because = value.find("because"))
        rule.because = read_text(*because, "because", longest_because, findings).value_or("");
    return rule;
}

class RuleList {
  public:
    explicit RuleList(Findings& findings) : findings_(findings) {}

    void read(const Value& value) {
        const std::size_t before = findings_.count();
        rules_.push_back(read_rule(value, rules_.size() + 1, findings_));
        report_name_taken(value);
        // A rule with a problem may mean anything, so no message says that it hides later rules.
        if (findings_.count() == before) report_never_fires(value);
    }

    std::vector<Rule> take() { return std::move(rules_); }

  private:
    void report_name_taken(const Value& value) {
        const auto [first, is_new] = numbers_.emplace(rules_.back().name, rules_.size());
        if (is_new || rules_.back().name.empty()) return;
        const std::string also =
            in_quotes(first->first) + " is also the name of " + name_by_number(first->second);
        if (const Value* name = value.find("name"))
            findings_.add(name->place, "name " + also + "; the log identifies rules by their names");
        else
            findings_.add(value.place,
                          "this rule has no name, and " + also + "; give one of them another name");
    }

    void report_never_fires(const Value& value) {
        const std::string why = reach_.add(rules_.back(), rules_.size());
        if (!why.empty()) findings_.add(value.place, "this rule can never fire: " + why);
    }

    Findings& findings_;
    std::vector<Rule> rules_;
    std::map<std::string, std::size_t> numbers_; // of each name's first rule, counted from 1
    Reach reach_;
};

std::vector<Rule> read_rules(const Value& value, Findings& findings) {
    if (!read_array(value, "rules", "an array of rules", most_rules, findings)) return {};
    RuleList list(findings);
    for (const Value& rule : value.children) list.read(rule);
    return list.take();
}

void read_version(const Value& value, Findings& findings) {
    const auto version = read_integer(value, "version", {1, most_bytes}, findings);
    if (version && *version != policy_version)
        findings.add(value.place, "version " + std::to_string(*version) +
                                      " is not known; this switchyard reads version " +
                                      std::to_string(policy_version));
}

Policy read_policy(const Value& document, Findings& findings) {
    Policy policy;
    if (!read_object(document, "a policy", findings)) return policy;
    report_unknown_keys(document, {policy_keys.begin(), policy_keys.end()}, findings);
    report_missing_keys(
        document, {{"version", "1"}, {"rules", "[]"}, {"otherwise", R"({"algorithm": "native"})"}}, findings);
    if (const Value* schema = document.find("$schema")) read_string(*schema, "$schema", findings);
    if (const Value* version = document.find("version")) read_version(*version, findings);
    if (const Value* rules = document.find("rules")) policy.rules = read_rules(*rules, findings);
    if (const Value* otherwise = document.find("otherwise"))
        policy.otherwise = read_use(*otherwise, {std::nullopt, most_ranks}, findings);
    return policy;
}

Reading<Policy> refused(std::string message) {
    return {std::nullopt, {{"", std::move(message)}}};
}

Reading<Policy> policy_in(std::string_view text) {
    if (text.size() > largest_policy_bytes)
        return refused("a policy of " + std::to_string(text.size()) + " bytes is too large; the limit is " +
                       std::to_string(largest_policy_bytes) + " bytes");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return refused("the policy is empty; the shortest one is "
                       R"({"version": 1, "rules": [], "otherwise": {"algorithm": "native"}})");
    Findings findings;
    Policy policy;
    if (const std::optional<Value> document = read_document(text, findings))
        policy = read_policy(*document, findings);
    return reading_of(std::move(policy), std::move(findings));
}

} // namespace

Reading<Policy> read(std::string_view text) {
    try {
        return policy_in(text);
    } catch (const std::bad_alloc&) {
        throw; // this process's trouble, not the text's: another rank would read it
    } catch (const std::exception& error) {
        return refused(std::string("cannot be read: ") + error.what());
    } catch (...) {
        return refused("cannot be read");
    }
}

text::Result<Policy, std::vector<Problem>> parse(std::string_view text) {
    auto reading = read(text);
    if (!reading.problems.empty()) return std::move(reading.problems);
    return *std::move(reading.value);
}

} // namespace switchyard::policy
