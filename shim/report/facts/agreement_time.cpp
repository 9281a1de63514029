#include "agreement_time.hpp"

#include "policy/agreement_advice.hpp"
#include "policy/parse.hpp"
#include "policy/prune.hpp"
#include "policy/text/lists.hpp"
#include "policy_on_log.hpp"
#include "shim/common/agreement_cost.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace switchyard::shim::report {

namespace {

std::optional<policy::FixedFeatures> features_of(const CallKind& kind, const RunFacts& run) {
    Call call;
    call.kind = kind;
    return report::features_of(call, network_of(run));
}

// If an algorithm was forced, no rule is the cause.
AgreementCost cost_of(const Profile& profile) {
    AgreementCost cost;
    for (const auto& group : profile.groups) {
        cost.add_time(group.rank_us.whole, group.rank_us.agree);
        if (group.rank_us.agree <= 0 || group.kind.reason == "forced") continue;
        if (const auto kind = features_of(group.kind, profile.run))
            cost.add_cause(*kind, group.rank_us.agree);
    }
    return cost;
}

// Calls of one kind on communicators of one shape.
struct Shape {
    std::uint64_t calls = 0;
    double rank_us = 0;
};

std::map<policy::FixedFeatures, Shape> shapes_of(const Profile& profile) {
    std::map<policy::FixedFeatures, Shape> shapes;
    for (const auto& group : profile.groups)
        if (const auto kind = features_of(group.kind, profile.run)) {
            shapes[*kind].calls += group.calls;
            shapes[*kind].rank_us += group.rank_us.whole;
        }
    return shapes;
}

} // namespace

std::string agreement_sentence(const Profile& profile, double wall_us) {
    const auto cost = cost_of(profile);
    if (!cost.is_worth_a_sentence(wall_us * profile.ranks)) return "";
    const auto policy = policy::read(profile.run.policy).value;
    return formatted("{} of {} routed, {}", profile.routed, text::plural(profile.calls, "call"),
                     shown(cost.sentence(policy.value_or(policy::Policy{})), 600));
}

std::vector<std::string> agreement_on_log(const policy::Policy& policy, const Profile& profile) {
    auto shapes = shapes_of(profile);
    std::erase_if(shapes, [&](const auto& one) {
        return !agrees_on_block(all_candidates(policy, one.first), one.first);
    });
    if (shapes.empty()) return {};
    Shape all;
    for (const auto& [call, shape] : shapes) {
        all.calls += shape.calls;
        all.rank_us += shape.rank_us;
    }
    const auto& costliest =
        std::ranges::max_element(shapes, {}, [](const auto& one) { return one.second.rank_us; })->first;
    return {formatted(
                "{} of {} would begin with an agreement on the largest block, {} of the time in collectives",
                all.calls, text::plural(profile.calls, "call"),
                share_text(all.rank_us, profile.rank_us.whole)),
            shown("to avoid it: " + how_to_spare_agreement(policy, costliest), 600)};
}

} // namespace switchyard::shim::report
