#include "slow_start.hpp"

#include "group_sentences.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <functional>

namespace switchyard::shim::report {

namespace {

// Less than this part of the wall time is not worth a sentence.
constexpr double least_of_wall = 0.001;

struct Notable {
    const CallGroup* group;
    SlowStart start;
    double cost() const { return start.cost_us; }
};

bool is_notable(const Profile& profile, const SlowStart& start) {
    return start.calls > 0 && is_worth_a_sentence(profile, start.cost_us) &&
           start.cost_us >= least_of_wall * profile.wall_us();
}

std::vector<Notable> notable_groups(const Profile& profile) {
    std::vector<Notable> notable;
    for (const auto& group : profile.groups)
        if (const auto start = slow_start_of(profile, group); is_notable(profile, start))
            notable.push_back({&group, start});
    std::ranges::stable_sort(notable, std::greater{}, &Notable::cost);
    return notable;
}

// `the first 6 of 400 calls took 20 ms to 46 ms each`
std::string slow_text(const SlowStart& start, std::uint64_t calls) {
    const auto least = short_time_text(start.least_us), most = short_time_text(start.most_us);
    const auto times = least == most ? most : formatted("{} to {}", least, most);
    const char* at_least = start.goes_on ? "at least " : "";
    if (start.communicators > 1)
        return formatted("{}{} of {} calls, the first on {} communicators, took {} each", at_least,
                         start.calls, count_text(calls), start.communicators, times);
    if (start.calls > 1)
        return formatted("{}the first {} of {} calls took {} each", at_least, start.calls, count_text(calls),
                         times);
    return formatted("the first of {} calls took {}", count_text(calls), times);
}

std::string sentence_of(const Profile& profile, const Notable& notable) {
    const auto& [group, start] = notable;
    const bool is_waiting = start.waiting_us > start.cost_us / 2;
    return formatted("{}: {}, the others usually {}; that cost {} in all, {} of the time in collectives{}",
                     name_of(group->kind), slow_text(start, group->calls),
                     short_time_text(group->call_us.median()), short_time_text(start.cost_us),
                     share_text(start.cost_us, in_collectives_us(profile)),
                     is_waiting ? ", most of it waiting for late ranks" : "");
}

} // namespace

SlowStart slow_start_of(const Profile& profile, const CallGroup& group) {
    if (profile.run.summary) return {};
    auto start = group.first_calls.slower_than(group.call_us.median());
    if (2 * start.calls >= group.calls) return {};
    const double ranks = std::max(1, group.kind.ranks);
    start.cost_us = profile.per_rank(ranks * start.cost_us);
    start.waiting_us = profile.per_rank(ranks * start.waiting_us);
    return start;
}

std::vector<std::string> slow_start_sentences(const Profile& profile) {
    return sentences_of(notable_groups(profile),
                        [&](const Notable& notable) { return sentence_of(profile, notable); });
}

} // namespace switchyard::shim::report
