#include "chosen_by.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace switchyard::shim::report {

bool ChosenBy::fell_back() const {
    if (reason == "rule" || reason == "otherwise" || reason == "forced") return false;
    if (reason.starts_with("adaptive: ")) return reason.find("passed over") != std::string::npos;
    // Every rule says the same there, so no rule was passed over.
    return !reason.starts_with("native whichever rule matches") ||
           reason.find("cannot run") != std::string::npos;
}

std::string ChosenBy::ran_text() const {
    return fmt::format("{}", fmt::join(ran, ", "));
}

std::string ChosenBy::text() const {
    if (rule.empty()) return reason.empty() ? "no reason in the log" : reason;
    const std::string name = "rule \"" + rule + '"';
    return reason == "rule" ? name : name + ", since " + reason;
}

std::size_t place_of(const CallKind& kind, const std::vector<ChosenBy>& deciders) {
    const auto found = std::ranges::find_if(
        deciders, [&](const ChosenBy& by) { return by.rule == kind.rule && by.reason == kind.reason; });
    return static_cast<std::size_t>(found - deciders.begin());
}

std::vector<ChosenBy> chosen_by(const Profile& profile) {
    std::vector<ChosenBy> deciders;
    for (const auto& group : profile.groups) {
        const std::size_t place = place_of(group.kind, deciders);
        if (place == deciders.size()) deciders.push_back({group.kind.rule, group.kind.reason, 0, 0, {}});
        auto& by = deciders[place];
        by.calls += group.calls;
        by.rank_us += group.rank_us.whole;
        if (std::ranges::find(by.ran, group.kind.algorithm_text()) == by.ran.end())
            by.ran.push_back(group.kind.algorithm_text());
    }
    std::ranges::stable_sort(deciders, std::greater{}, &ChosenBy::rank_us);
    return deciders;
}

} // namespace switchyard::shim::report
