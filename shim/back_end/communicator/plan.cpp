#include "plan.hpp"

#include "policy/admissible.hpp"
#include "policy/prune.hpp"
#include "policy/reason.hpp"
#include "shim/back_end/process/process.hpp"
#include "shim/common/choice_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace switchyard::shim {

namespace {

policy::Shortlist native_plan(Collective collective, const char* reason) {
    policy::Candidate native;
    native.choice.algorithm = algorithms::find(collective, "native");
    native.choice.reason = reason;
    policy::Shortlist plan;
    plan.candidates.push_back(native);
    plan.always_native = true;
    return plan;
}

policy::Shortlist prune(const Process& self, const policy::FixedFeatures& fixed, const char* only_native) {
    if (only_native != nullptr) return native_plan(fixed.collective, only_native);
    const auto& forced = self.force.by_collective[static_cast<std::size_t>(fixed.collective)];
    return forced ? policy::prune(*forced, fixed) : policy::prune(self.policy, fixed);
}

// The middle of a log line.
std::string decision_text(const policy::Shortlist& plan, const policy::Match& match) {
    const auto& choice = plan.candidates[match.candidate].choice;
    nlohmann::ordered_json json = {{"algorithm", choice.algorithm->name},
                                   {"parameters", parameters_json(choice)},
                                   {"rule", nullptr},
                                   {"reason", policy::reason_of(plan, match)}};
    if (!choice.rule.empty()) json["rule"] = choice.rule;
    auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.substr(1, text.size() - 2);
}

} // namespace

std::shared_ptr<Plan> Plan::of(Process& self, const policy::FixedFeatures& fixed, const char* only_native) {
    const Plan::Key key{fixed, only_native != nullptr ? only_native : ""};
    std::lock_guard lock(self.plans_mutex);
    auto& plan = self.plans[key];
    if (!plan) plan = std::shared_ptr<Plan>(new Plan(prune(self, fixed, only_native)));
    return plan;
}

bool Plan::uses_shared_memory() const {
    return std::ranges::any_of(policy_.candidates, [](const policy::Candidate& candidate) {
        return candidate.blocked.empty() &&
               policy::uses_shared_memory(*candidate.choice.algorithm, candidate.choice.parameters);
    });
}

Plan::~Plan() {
    for (auto* decision = decisions_.load(); decision != nullptr;)
        delete std::exchange(decision, decision->next);
}

std::uint32_t Plan::decision(Process& self, const policy::Match& match) {
    for (auto* decision = decisions_.load(std::memory_order_acquire); decision != nullptr;
         decision = decision->next)
        if (decision->match == match) return decision->number;
    return add_decision(self, match);
}

std::uint32_t Plan::add_decision(Process& self, const policy::Match& match) {
    std::lock_guard lock(self.plans_mutex);
    for (auto* decision = decisions_.load(); decision != nullptr; decision = decision->next)
        if (decision->match == match) return decision->number;
    log::DecisionName name{++self.decisions, decision_text(policy_, match)};
    self.recorder->add_name(name.to_line());
    decisions_.store(new Decision{match, name.number, decisions_.load()}, std::memory_order_release);
    return name.number;
}

} // namespace switchyard::shim
