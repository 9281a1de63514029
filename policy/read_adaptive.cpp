#include "read_adaptive.hpp"
#include "read_value.hpp"
#include "vocabulary.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

constexpr std::string_view example = R"([{"algorithm": "spread_out"}])";

const Value* algorithm_of(const Value& use) {
    const Value* algorithm = use.type == Value::Type::object ? use.find("algorithm") : nullptr;
    return algorithm != nullptr && algorithm->type == Value::Type::string ? algorithm : nullptr;
}

void report_duplicate(const Value& value, const std::vector<Use>& before, const Use& use,
                      Findings& findings) {
    const auto same = std::find(before.begin(), before.end(), use);
    if (same == before.end()) return;
    findings.add(value.place,
                 "this candidate is the same as candidate " + std::to_string(same - before.begin() + 1));
}

void read_candidate(const Value& value, const Scope& scope, std::vector<Use>& candidates,
                    Findings& findings) {
    const Value* algorithm = algorithm_of(value);
    if (algorithm != nullptr && algorithm->text == "native") {
        findings.add(algorithm->place, "native always takes part; leave it out of candidates");
        return;
    }
    const std::size_t before = findings.count();
    Use use = read_use(value, {scope.collective, scope.most_ranks, "a candidate cannot be adaptive itself"},
                       findings);
    if (findings.count() == before) report_duplicate(value, candidates, use, findings);
    candidates.push_back(std::move(use));
}

std::vector<Use> read_candidates(const Value& value, const Scope& scope, Findings& findings) {
    std::vector<Use> candidates;
    const auto wanted = "an array of algorithms to try, for example " + std::string(example);
    if (!read_array(value, "candidates", wanted, most_candidates, findings)) return candidates;
    if (value.children.empty())
        findings.add(value.place, "candidates is empty; give at least one algorithm to try besides native");
    else
        for (const Value& child : value.children) read_candidate(child, scope, candidates, findings);
    return candidates;
}

} // namespace

bool is_adaptive(const Value& use) {
    const Value* algorithm = algorithm_of(use);
    return algorithm != nullptr && algorithm->text == adaptive_name;
}

Use read_adaptive(const Value& value, const Scope& scope, Findings& findings) {
    Use use;
    use.algorithm = adaptive_name;
    if (!scope.why_not_adaptive.empty()) {
        findings.add(value.find("algorithm")->place, std::string(scope.why_not_adaptive));
        return use;
    }
    report_unknown_keys(value, {adaptive_keys.begin(), adaptive_keys.end()}, findings);
    report_missing_keys(value, {{"candidates", example}}, findings);
    if (const Value* candidates = value.find("candidates"))
        use.candidates = read_candidates(*candidates, scope, findings);
    if (const Value* trials = value.find("trials"))
        use.trials = read_integer(*trials, "trials", {1, most_trials}, findings).value_or(Use::preset_trials);
    return use;
}

} // namespace switchyard::policy
