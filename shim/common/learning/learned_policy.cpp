#include "learned_policy.hpp"

#include "chooser.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"
#include "policy/text/printable.hpp"
#include "policy/vocabulary.hpp"
#include "shim/common/formatted.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace switchyard::shim::adaptive {

namespace {

using Json = nlohmann::ordered_json;

// Lessons for one rule, and the rule's use. The lessons differ only in their blocks, which are adjacent if
// the rule looks at blocks.
struct Group {
    std::vector<const Lesson*> lessons;
    std::string use; // JSON
    bool has_blocks;
};

// A lesson's kind: all but its blocks.
Subject kind_of(const Lesson& lesson) {
    Subject subject = lesson.subject;
    subject.least_block = subject.most_block = 0;
    return subject;
}

Subject without_rule(Subject subject) {
    subject.rule.clear();
    return subject;
}

const std::string& winner_of(const Lesson& lesson) {
    return lesson.tried[*lesson.best].use;
}

// `kind`: lessons of one kind, by blocks.
std::vector<Group> by_ranges(const std::vector<const Lesson*>& kind) {
    std::vector<Group> groups;
    for (const Lesson* lesson : kind) {
        if (!lesson->beats_native()) continue;
        const bool continues =
            !groups.empty() && groups.back().use == winner_of(*lesson) &&
            groups.back().lessons.back()->subject.most_block + 1 == lesson->subject.least_block;
        if (!continues) groups.push_back({{}, winner_of(*lesson), true});
        groups.back().lessons.push_back(lesson);
    }
    return groups;
}

// ---- Where MPI does not tell all ranks the largest block ----
//
// A rule that looks at blocks costs every call on the communicator an agreement. So the times of all lessons
// of a kind count.

double calls(const Lesson& lesson) {
    return static_cast<double>(lesson.calls);
}
double native_time(const Lesson& lesson) {
    return static_cast<double>(lesson.tried.front().median);
}

// The time of a call under rules that look at blocks.
double time_with_agreement(const Lesson& lesson) {
    const auto& best = lesson.tried[*lesson.best];
    const bool is_in = lesson.pays_agreement && best.needs_agreement;
    return static_cast<double>(best.median) + (is_in ? 0 : static_cast<double>(lesson.agreement));
}

// This time summed up over the calls of lessons whose trials ended. Infinite if some calls
// would be slower than native.
double time_of_ranges(const std::vector<const Lesson*>& kind) {
    constexpr double worth_a_rule = 0.97, unnoticed = 1.01;
    double sum = 0;
    for (const Lesson* lesson : kind) {
        if (!lesson->best) continue;
        const double limit = native_time(*lesson) * (lesson->beats_native() ? worth_a_rule : unnoticed);
        const double time = time_with_agreement(*lesson);
        if (time > limit) return INFINITY;
        sum += calls(*lesson) * time;
    }
    return sum;
}

// Where native stayed, nothing is known to be faster: a smaller median was luck. If a use lost its proof, the
// proof gives its ratio.
double time_of_tried(const Lesson& lesson, const Lesson::Tried& tried) {
    const auto time = static_cast<double>(tried.median);
    if (lesson.beats_native()) return time;
    const bool lost = lesson.proof && &lesson.tried[lesson.proof->candidate] == &tried;
    return std::max(time, native_time(lesson) * (lost ? lesson.proof->ratio : 1));
}

// The summed time with one use for all blocks, which needs no agreement.
double time_of_use(const std::vector<const Lesson*>& kind, const std::string& use) {
    double sum = 0;
    for (const Lesson* lesson : kind) {
        if (!lesson->best) continue;
        const auto found = std::ranges::find(lesson->tried, use, &Lesson::Tried::use);
        if (found == lesson->tried.end() || found->median == no_time || found->needs_agreement)
            return INFINITY;
        const double time = time_of_tried(*lesson, *found);
        const bool is_proven = lesson->beats_native() && winner_of(*lesson) == use;
        if (!is_proven && time > native_time(*lesson)) return INFINITY;
        sum += calls(*lesson) * time;
    }
    return sum;
}

// `is_alone`: no other adaptive rule learned about the same calls.
std::vector<Group> with_agreement_or_without(const std::vector<const Lesson*>& kind, bool is_alone) {
    constexpr double worth_ranges = 0.97; // their time / the time of one rule for all blocks
    double least = INFINITY;
    std::string best;
    for (const Lesson* lesson : kind) {
        if (!lesson->beats_native() || lesson->rule_has_blocks || !is_alone) continue;
        const double time = time_of_use(kind, winner_of(*lesson));
        if (time < least) least = time, best = winner_of(*lesson);
    }
    const double ranges = time_of_ranges(kind);
    if (ranges < (best.empty() ? INFINITY : worth_ranges * least)) return by_ranges(kind);
    return best.empty() ? std::vector<Group>{} : std::vector<Group>{{kind, best, false}};
}

// MPI forbids overlapping buffers, so calls with them get no rule.
std::vector<Group> groups_of(const std::vector<Lesson>& lessons) {
    std::map<Subject, std::vector<const Lesson*>> kinds;
    for (const Lesson& one : lessons)
        if (!one.subject.overlapping) kinds[kind_of(one)].push_back(&one);
    std::map<Subject, int> rules; // by what their calls have in common
    for (const auto& [subject, kind] : kinds) ++rules[without_rule(subject)];
    std::vector<Group> groups;
    for (const auto& [subject, kind] : kinds) {
        const bool is_known = traits_of(subject.collective).block_is_known();
        const bool is_alone = rules[without_rule(subject)] == 1;
        for (Group& group : is_known ? by_ranges(kind) : with_agreement_or_without(kind, is_alone))
            groups.push_back(std::move(group));
    }
    return groups;
}

Json exactly(int value) {
    return {{"min", value}, {"max", value}};
}

// A key of `when` that had one value in all lessons is left out: the ranks would have to agree on it.
struct Differences {
    bool in_place = false, buffer = false;

    explicit Differences(const std::vector<Lesson>& lessons) {
        for (const Lesson& one : lessons) {
            in_place = in_place || one.subject.in_place;
            buffer = buffer || one.subject.on_device;
        }
    }
};

Json when(const Group& group, const Differences& differences) {
    const Subject& subject = group.lessons.front()->subject;
    Json json = {{"collective", algorithms::name_of(subject.collective)},
                 {"ranks", exactly(subject.ranks)},
                 {"nodes", exactly(subject.nodes)},
                 {"ranks_per_node", exactly(subject.ranks_per_node)}};
    if (group.has_blocks)
        json["max_block_bytes"] = {{"min", subject.least_block},
                                   {"max", group.lessons.back()->subject.most_block}};
    if (differences.in_place) json["in_place"] = subject.in_place;
    if (differences.buffer) json["buffer"] = subject.on_device ? "device" : "host";
    return json;
}

std::string us_in_words(double nanoseconds) {
    return formatted("{:.1f} us", nanoseconds / 1000.0);
}

// `native 12.0 us, tuna radix=4 8.1 us (dropped)`
std::string medians(const Lesson& lesson) {
    std::string text;
    for (const auto& one : lesson.tried) {
        text += (text.empty() ? "" : ", ") + use_in_words(one.use) + ' ';
        text += one.median == no_time ? "not measured" : us_in_words(static_cast<double>(one.median));
        if (one.dropped) text += " (dropped)";
    }
    return text;
}

// `, proven in 6 of 7 pairs of stretches: 0.80 of native's time`
std::string proof(const Lesson& lesson) {
    if (!lesson.proof || !lesson.beats_native()) return "";
    return formatted(", proven in {} of {} pairs of stretches: {:.2f} of native's time", lesson.proof->won,
                     lesson.proof->pairs, lesson.proof->ratio);
}

std::string because(const Group& group, const Circumstances& where) {
    std::string text = formatted(
        "learned by trial in a run of {} on {} with {}; medians of the slowest rank:", where.program,
        where.started, where.mpi_library);
    std::uint64_t calls = 0, trials = 0;
    double regret = 0;
    for (const Lesson* one : group.lessons) {
        text += formatted(" blocks of {} to {} bytes: {}{};", one->subject.least_block,
                          one->subject.most_block, medians(*one), proof(*one));
        calls += one->calls;
        trials += one->trial_calls;
        regret += one->regret;
    }
    return text + formatted(" {} calls, {} of them trials, which took {} longer than the best would have",
                            calls, trials, us_in_words(regret));
}

// A text cut to the length that a policy allows: a longer text ends in "...".
std::string shortened(const std::string& text, std::size_t longest) {
    return text::printable(text, longest - std::string_view("...").size());
}

std::string name_of(const Group& group) {
    const Subject& subject = group.lessons.front()->subject;
    const std::string blocks = group.has_blocks ? formatted(", {} to {} bytes", subject.least_block,
                                                            group.lessons.back()->subject.most_block)
                                                : "";
    return formatted(
        "{} of {} ranks on {} nodes of up to {}{}{}{}{}", algorithms::name_of(subject.collective),
        subject.ranks, subject.nodes, subject.ranks_per_node, blocks, subject.in_place ? ", in place" : "",
        subject.on_device ? ", device" : "", subject.rule.empty() ? "" : " (" + subject.rule + ")");
}

Json rule_of(const Group& group, const Differences& differences, const Circumstances& where) {
    return {{"name", shortened(name_of(group), policy::longest_name)},
            {"when", when(group, differences)},
            {"use", Json::parse(group.use)},
            {"because", shortened(because(group, where), policy::longest_because)}};
}

std::string written(const Json& policy) {
    return policy.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::uint64_t calls_of(const Group& group) {
    std::uint64_t calls = 0;
    for (const Lesson* one : group.lessons) calls += one->calls;
    return calls;
}

// The size of a rule in the text of a policy.
std::size_t bytes_of(const Json& rule) {
    constexpr std::size_t indentation = 4, separators = 2;
    const std::string text = written(rule);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return text.size() + lines * indentation + separators;
}

// Rules in the order of the groups. If a policy has no room for all rules, those with the most calls stay.
Json rules_with_room(const std::vector<Group>& groups, const Differences& differences,
                     const Circumstances& where) {
    constexpr std::size_t room =
        policy::largest_policy_bytes - 1000; // the rest is what stands around the rules
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return calls_of(groups[i]); });
    std::map<std::size_t, Json> rules;
    std::size_t bytes = 0;
    for (const std::size_t i : order) {
        if (rules.size() == policy::most_rules) break;
        Json rule = rule_of(groups[i], differences, where);
        bytes += bytes_of(rule);
        if (bytes > room) break;
        rules.emplace(i, std::move(rule));
    }
    auto array = Json::array();
    for (auto& [place, rule] : rules) array.push_back(std::move(rule));
    return array;
}

// Removes the rules that have a problem, or all rules if some problem is not in a rule.
void erase(Json& rules, const std::vector<policy::Problem>& problems) {
    std::set<std::size_t, std::greater<>> places;
    for (const policy::Problem& problem : problems) {
        const auto rule = policy::rule_at(problem.pointer);
        if (!rule || *rule >= rules.size()) return rules.clear();
        places.insert(*rule);
    }
    for (const std::size_t place : places) rules.erase(place);
}

} // namespace

std::string learned_policy(const std::vector<Lesson>& lessons, const Circumstances& where) {
    const Differences differences(lessons);
    Json policy = {{"version", 1},
                   {"rules", rules_with_room(groups_of(lessons), differences, where)},
                   {"otherwise", {{"algorithm", "native"}}}};
    auto& rules = policy["rules"];
    // Two adaptive rules of the old policy may have shared a power of two. Then one of the new rules may hide
    // another one, which the check reports. A rule with a problem hides no other rule, so all rules with
    // problems can go at once.
    while (true) {
        const auto parsed = policy::parse(written(policy));
        const auto* problems = parsed.error();
        if (problems == nullptr) return written(policy);
        erase(rules, *problems);
    }
}

} // namespace switchyard::shim::adaptive
