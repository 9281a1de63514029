#include "plan.hpp"

#include "policy/admissible.hpp"
#include "policy/parameter_json.hpp"
#include "policy/prune.hpp"
#include "policy/reason.hpp"
#include "shim/common/log/merge.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace switchyard::shim {

namespace {

policy::Shortlist native_shortlist(Collective collective, const char* reason) {
    policy::Candidate native;
    native.choice.algorithm = algorithms::find(collective, "native");
    native.choice.reason = reason;
    policy::Shortlist shortlist;
    shortlist.candidates.push_back(native);
    shortlist.always_native = true;
    return shortlist;
}

policy::Shortlist prune(const Process& self, const policy::FixedFeatures& fixed, const char* only_native) {
    if (only_native != nullptr) return native_shortlist(fixed.collective, only_native);
    const auto& forced = self.force.by_collective[static_cast<std::size_t>(fixed.collective)];
    return forced ? policy::prune(*forced, fixed) : policy::prune(self.policy, fixed);
}

// `{"radix": 4, "metadata": "fused"}`: every parameter of the algorithm, and what the rule gives for any algorithm.
nlohmann::ordered_json parameters_json(const policy::Choice& choice) {
    auto json = nlohmann::ordered_json::object();
    for (const auto parameter : choice.algorithm->parameters)
        policy::add_parameter(json, algorithms::traits_of(parameter), choice.parameters[parameter]);
    if (choice.barrier_before) json["barrier_before"] = true;
    if (choice.in_flight_limit > 0) json["in_flight_limit"] = choice.in_flight_limit;
    return json;
}

// The part of a log line between the facts of the call and its times.
std::string decision_text(const policy::Shortlist& shortlist, const policy::Match& match) {
    const auto& choice = shortlist.candidates[match.candidate].choice;
    nlohmann::ordered_json json = {{"algorithm", choice.algorithm->name},
                                   {"parameters", parameters_json(choice)},
                                   {"rule", nullptr},
                                   {"reason", policy::reason_of(shortlist, match)}};
    if (!choice.rule.empty()) json["rule"] = choice.rule;
    auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.substr(1, text.size() - 2);
}

} // namespace

std::shared_ptr<Plan> Plans::of(const policy::FixedFeatures& fixed, const char* only_native) {
    const Key key{fixed, only_native != nullptr ? only_native : ""};
    std::lock_guard lock(mutex_);
    auto& plan = plans_[key];
    if (!plan) plan = std::make_shared<Plan>(fixed.collective, prune(process_, fixed, only_native));
    return plan;
}

bool Plan::asks_others() const {
    const bool is_known = algorithms::traits_of(collective_).block_is_known();
    return shortlist_.looks_at_buffer ||
           (!is_known && (shortlist_.looks_at_block || shortlist_.looks_at_overlap));
}

bool Plan::uses_shared_memory() const {
    return std::ranges::any_of(shortlist_.candidates, [](const policy::Candidate& candidate) {
        return candidate.blocked.empty() &&
               policy::uses_shared_memory(*candidate.choice.algorithm, candidate.choice.parameters);
    });
}

bool Plan::knows_edges() const {
    return std::ranges::any_of(shortlist_.candidates, [](const policy::Candidate& candidate) {
        return candidate.blocked.empty() && candidate.choice.algorithm->has(algorithms::knows_edges);
    });
}

Plan::~Plan() {
    for (auto* decision = decisions_.load(); decision != nullptr;)
        delete std::exchange(decision, decision->next);
}

std::uint32_t Plan::add_decision(Process& self, const policy::Match& match) {
    std::lock_guard lock(self.naming);
    if (const auto* known = find(match)) return known->number;
    const log::DecisionName name{++self.named_decisions, decision_text(shortlist_, match)};
    self.recorder->add_name(name);
    decisions_.store(new Decision{match, name.number, decisions_.load()}, std::memory_order_release);
    return name.number;
}

} // namespace switchyard::shim
