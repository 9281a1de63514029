#include "outcome.hpp"

#include "shim/common/formatted.hpp"

#include <algorithm>
#include <map>

namespace switchyard::shim::adaptive {

namespace {

constexpr std::size_t most_winners = 3;

struct Winner {
    std::string use;
    std::size_t kinds = 0;
};

// The one with the most kinds of calls first.
std::vector<Winner> winners_of(const std::vector<Lesson>& lessons) {
    std::map<std::string, std::size_t> kinds;
    for (const Lesson& lesson : lessons)
        if (lesson.best) ++kinds[use_in_words(lesson.tried[*lesson.best].use)];
    std::vector<Winner> winners;
    for (const auto& [use, count] : kinds) winners.push_back({use, count});
    std::ranges::stable_sort(winners, std::greater{}, &Winner::kinds);
    return winners;
}

std::string kinds_of_calls(std::size_t count) {
    return formatted("{} kind{} of calls", count, count == 1 ? "" : "s");
}

std::string who_won(const std::vector<Lesson>& lessons) {
    const auto winners = winners_of(lessons);
    if (winners.empty()) return "none of " + kinds_of_calls(lessons.size()) + " was tried to the end";
    std::string text;
    std::size_t told = 0, decided = 0;
    for (std::size_t i = 0; i < winners.size(); ++i) {
        decided += winners[i].kinds;
        if (i >= most_winners) continue;
        told += winners[i].kinds;
        text += i == 0 ? formatted("{} won {} of {}", winners[i].use, winners[i].kinds,
                                   kinds_of_calls(lessons.size()))
                       : formatted(", {} {}", winners[i].use, winners[i].kinds);
    }
    if (decided > told) text += formatted(", others {}", decided - told);
    if (lessons.size() > decided) text += formatted(", undecided {}", lessons.size() - decided);
    return text;
}

std::string time_text(double nanoseconds) {
    if (nanoseconds < 1e6) return formatted("{:.1f} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9) return formatted("{:.1f} ms", nanoseconds / 1e6);
    return formatted("{:.2f} s", nanoseconds / 1e9);
}

std::string what_it_cost(const std::vector<Lesson>& lessons) {
    std::uint64_t calls = 0, trials = 0;
    double regret = 0;
    for (const Lesson& lesson : lessons) {
        calls += lesson.calls;
        trials += lesson.trial_calls;
        regret += lesson.regret;
    }
    return formatted("{} of {} calls were trials, which lost {}", trials, calls,
                     time_text(std::max(regret, 0.0)));
}

} // namespace

std::string outcome(const std::vector<Lesson>& lessons, bool written) {
    if (lessons.empty()) return "";
    return (written ? std::string(learned_policy_name) + ": " : "learned: ") + who_won(lessons) + "; " +
           what_it_cost(lessons);
}

} // namespace switchyard::shim::adaptive
