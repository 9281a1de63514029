#include "chosen_by.hpp"

#include "policy/rule_name.hpp"
#include "shim/common/formatted.hpp"

#include <algorithm>
#include <set>

namespace switchyard::shim::report {

bool ChosenBy::fell_back() const {
    if (reason == "rule" || reason == "otherwise" || reason == "forced") return false;
    // Every rule says the same there, so no rule was passed over.
    return !reason.starts_with("native whichever rule matches") ||
           reason.find("cannot run") != std::string::npos;
}

std::string ChosenBy::ran_text() const {
    return joined(ran, ", ");
}

std::string ChosenBy::text() const {
    if (rule.empty()) return reason.empty() ? "no reason in the log" : reason;
    const std::string name = policy::rule_called(rule);
    return reason == "rule" ? name : name + ", since " + reason;
}

std::string mark_of(std::size_t place) {
    constexpr std::size_t letters = 26;
    const std::string before = place < letters ? "" : mark_of(place / letters - 1);
    return before + static_cast<char>('a' + place % letters);
}

DeciderPlaces::DeciderPlaces(const std::vector<ChosenBy>& deciders) {
    for (const auto& by : deciders) places_.add({by.rule, by.reason});
}

std::vector<ChosenBy> chosen_by(const Profile& profile) {
    std::vector<ChosenBy> deciders;
    Places<std::pair<std::string, std::string>> places;
    std::set<std::pair<std::size_t, std::string>> known; // which decider had which algorithm
    for (const auto& group : profile.groups) {
        const auto [place, is_new] = places.add({group.kind.rule, group.kind.reason});
        if (is_new) deciders.push_back({group.kind.rule, group.kind.reason, 0, 0, {}});
        auto& by = deciders[place];
        by.calls += group.calls;
        by.rank_us += group.rank_us.whole;
        auto algorithm = group.kind.algorithm_text();
        if (known.emplace(place, algorithm).second) by.ran.push_back(std::move(algorithm));
    }
    std::ranges::stable_sort(deciders, std::greater{}, &ChosenBy::rank_us);
    return deciders;
}

} // namespace switchyard::shim::report
