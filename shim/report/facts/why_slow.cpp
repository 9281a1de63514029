#include "why_slow.hpp"

#include "agreement_time.hpp"
#include "cliffs.hpp"
#include "group_sentences.hpp"
#include "slow_start.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <utility>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_groups = 3;
constexpr double least_part = 0.1; // of a group's time; less explains nothing

bool explains(double part, double whole) {
    return whole > 0 && part >= least_part * whole;
}

std::string cliff_cause(const Cliff& cliff) {
    return formatted("a cliff: {:.0f} times as long as {}", cliff.times(), faster_text(cliff));
}

std::vector<std::string> causes_of(const Profile& profile, const CallGroup& group,
                                   const std::vector<Cliff>& cliffs) {
    std::vector<std::string> causes;
    if (const auto cliff = std::ranges::find(cliffs, &group, &Cliff::group); cliff != cliffs.end())
        causes.push_back(cliff_cause(*cliff));
    const auto start = slow_start_of(profile, group);
    if (start.calls > 0 && explains(start.cost_us, profile.time_us(group)))
        causes.push_back(formatted("{} slow first {}", share_text(start.cost_us, profile.time_us(group)),
                                   start.calls == 1 ? "call" : "calls"));
    const auto parts = parts_of_time(group.rank_us);
    causes.insert(causes.end(), parts.begin(), parts.end());
    if (causes.empty()) causes.emplace_back("the exchange itself");
    return causes;
}

std::string calls_text(std::uint64_t calls) {
    return count_text(calls) + (calls == 1 ? " call" : " calls");
}

std::string routed_sentence(const Profile& profile) {
    const auto all = profile.calls == 1 ? "The call" : "All " + calls_text(profile.calls);
    if (profile.routed == 0) return all + " ran in the MPI itself: nothing was routed";
    if (profile.routed == profile.calls) return all + (profile.calls == 1 ? " was routed" : " were routed");
    double rank_us = 0;
    for (const auto& group : profile.groups)
        if (group.kind.algorithm != "native") rank_us += group.rank_us.whole;
    return formatted("{} of {} {} routed, with {} of the time", count_text(profile.routed),
                     calls_text(profile.calls), profile.routed == 1 ? "was" : "were",
                     share_text(rank_us, profile.rank_us.whole));
}

// `1,000 calls, usually 42 us each`
std::string usual_text(const CallGroup& group) {
    const auto usual = short_time_text(group.call_us.median());
    return group.calls == 1 ? "1 call, " + usual
                            : formatted("{}, usually {} each", calls_text(group.calls), usual);
}

} // namespace

std::vector<std::string> parts_of_time(const RankTimes& times) {
    std::vector<std::pair<double, const char*>> parts = {{times.waiting, "waiting for late ranks"},
                                                         {times.agree, "agreement"},
                                                         {times.stage, "packing"},
                                                         {times.copy, "copies from and to devices"}};
    std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
    std::vector<std::string> texts;
    for (const auto& [us, what] : parts)
        if (explains(us, times.whole)) texts.push_back(share_text(us, times.whole) + ' ' + what);
    return texts;
}

std::vector<Dearest> dearest_groups(const Profile& profile) {
    const auto cliffs = cliffs_of(profile);
    std::vector<Dearest> dearest;
    for (const auto& group : profile.groups) {
        if (dearest.size() == most_groups) break;
        dearest.push_back({share_text(group.rank_us.whole, profile.rank_us.whole), name_of(group.kind),
                           usual_text(group), causes_of(profile, group, cliffs)});
    }
    return dearest;
}

bool is_mostly_waiting(const Profile& profile) {
    return profile.rank_us.whole > 0 && profile.rank_us.waiting >= 0.5 * profile.rank_us.whole;
}

std::vector<std::string> policy_sentences(const Profile& profile, const std::vector<ChosenBy>& deciders) {
    // The sentence on the agreement also begins with the calls that were routed.
    const auto agreement = agreement_sentence(profile, profile.wall_us());
    std::vector<std::string> sentences = {agreement.empty() ? routed_sentence(profile) : agreement};
    std::uint64_t fell_back = 0;
    for (const auto& by : deciders)
        if (by.fell_back()) fell_back += by.calls;
    if (fell_back > 0)
        sentences.push_back(
            formatted("In {} a rule could not run, and another algorithm ran", calls_text(fell_back)));
    return sentences;
}

} // namespace switchyard::shim::report
