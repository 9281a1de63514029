#include "algorithm_phases.hpp"

#include "shim/common/units.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_rows_of_phases = 10;

double phase_sum(const CallGroup& group) {
    return std::accumulate(group.phase_us.begin(), group.phase_us.end(), 0.0);
}

double time_in(const CallGroup& group, algorithms::Phase phase) {
    return group.phase_us[static_cast<std::size_t>(phase)];
}

} // namespace

std::vector<algorithms::Phase> phases_in(const Profile& profile) {
    std::vector<algorithms::Phase> phases;
    for (std::size_t i = 0; i < algorithms::phase_count; ++i)
        if (std::ranges::any_of(profile.groups, [&](const auto& group) { return group.phase_us[i] > 0; }))
            phases.push_back(static_cast<algorithms::Phase>(i));
    return phases;
}

std::string algorithm_phases_note(const std::vector<algorithms::Phase>& phases) {
    std::string note;
    for (const auto phase : phases) {
        const auto& traits = algorithms::phase_traits[static_cast<std::size_t>(phase)];
        note += (note.empty() ? "" : ". ") + std::string(traits.name) + ": " + std::string(traits.meaning);
    }
    return note;
}

std::vector<const CallGroup*> groups_with_phases(const Profile& profile) {
    std::vector<const CallGroup*> groups;
    for (const auto& group : profile.groups)
        if (phase_sum(group) > 0 && groups.size() < most_rows_of_phases) groups.push_back(&group);
    return groups;
}

double phases_us_of_call(const CallGroup& group) {
    const double rank_calls = static_cast<double>(group.calls) * std::max(group.kind.ranks, 1);
    return rank_calls > 0 ? phase_sum(group) / rank_calls : 0;
}

std::string share_of_phase(const CallGroup& group, algorithms::Phase phase) {
    const double time = time_in(group, phase);
    return time > 0 ? share_text(time, phase_sum(group)) : "-";
}

} // namespace switchyard::shim::report
