#include "next_steps.hpp"

#include "agreement_time.hpp"
#include "cliffs.hpp"
#include "pairs.hpp"
#include "why_slow.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/read/rank_lines.hpp"

#include <algorithm>
#include <string_view>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_steps = 3;
constexpr double least_share = 0.01; // of the wall time; a policy that changes less cannot be seen to help

// The log knows how many ranks there were, but not how they were launched.
std::string launcher_of(const Profile& profile) {
    return formatted("mpirun -n {}", std::max(profile.ranks, 1));
}

std::string program_of(const RunFacts& run) {
    if (run.command_words.empty()) return run.program.empty() ? "./app" : shell_word(run.program);
    std::vector<std::string> words;
    for (const auto& word : run.command_words) words.push_back(shell_word(word));
    return joined(words, " ");
}

// Nobody has to name the default policy.
std::string policy_option(const RunFacts& run) {
    if (run.policy_file.empty() || run.policy_file.ends_with("/default.policy.json")) return "";
    return " --policy " + shell_word(run.policy_file);
}

// A run whose algorithms were forced says nothing about a policy.
bool was_routed_by_policy(const Profile& profile) {
    return std::ranges::any_of(profile.groups, [](const auto& group) {
        return group.kind.algorithm != "native" && group.kind.reason != "forced";
    });
}

NextStep prove_it(const Profile& profile) {
    return {"Is the program faster for it? One run cannot tell: run it without and with the policy in turn:",
            formatted("switchyard prove{} --launcher \"{}\" -- {}", policy_option(profile.run),
                      launcher_of(profile), program_of(profile.run))};
}

NextStep look_for_rules(const Profile& profile) {
    return {"Would other algorithms be faster? Measure them with the calls of this log:",
            formatted("switchyard tune --from {} --launcher \"{}\" -o my.policy.json",
                      shell_word(profile.run.directory), launcher_of(profile))};
}

NextStep look_for_late_ranks(const Profile& profile) {
    return {"Most of the time is waiting, which no algorithm changes. Which ranks come late?",
            formatted("{} switchyard run --detail ranks{} -- {}", launcher_of(profile),
                      policy_option(profile.run), program_of(profile.run))};
}

NextStep spare_the_agreement(const Profile& profile) {
    return {"After a change of the policy: what would it do with these calls?",
            formatted("switchyard explain {} --log {}", shell_word(profile.run.policy_file),
                      shell_word(profile.run.directory))};
}

// The program made no call that a policy can change.
std::vector<NextStep> without_calls(const RunFacts& run) {
    if (!run.counted.empty())
        return {{"The program makes no calls that a policy changes, so no policy makes it faster.", ""}};
    return {{"Either the program makes no collective calls, or switchyard does not see them. Is the MPI "
             "linked as a shared library? If this prints nothing, it is not, and no preload helps:",
             formatted("ldd \"$(command -v {})\" | grep -i mpi",
                       run.command_words.empty() ? "./app" : shell_word(run.command_words.front()))}};
}

} // namespace

std::string shell_word(const std::string& word) {
    constexpr std::string_view harmless =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
    return quoted + "'";
}

std::optional<NextStep> more_pairs(const Profile& a, const Profile& b, std::size_t pairs) {
    const auto policy_a = policy_option(a.run), policy_b = policy_option(b.run);
    if (policy_a == policy_b) return std::nullopt; // what differed is not known, so nobody can repeat it
    const auto run = [](const Profile& side, const std::string& policy, const char* log) {
        return formatted("{} switchyard run{} --log {} -- {};", launcher_of(side), policy, log,
                         program_of(side.run));
    };
    const std::size_t times = std::max(fewest_pairs, 2 * pairs);
    return NextStep{formatted("To be sure, run both in turn, {} times:", times),
                    formatted("for i in $(seq {}); do {} {} done; switchyard report before after", times,
                              run(a, policy_a, "before"), run(b, policy_b, "after"))};
}

std::vector<NextStep> next_steps(const Profile& profile) {
    if (profile.groups.empty()) return without_calls(profile.run);
    const double share = profile.per_rank(profile.rank_us.whole);
    if (share < least_share * profile.wall_us())
        return {{formatted("A policy can change {} of the wall time, so none makes this run faster.",
                           share_text(share, profile.wall_us())),
                 ""}};
    std::vector<NextStep> steps;
    const auto cliffs = cliffs_of(profile);
    if (!cliffs.empty())
        steps.push_back({"Calls take far longer than larger ones. To find a rule for them:",
                         command_against(cliffs.front())});
    if (is_mostly_waiting(profile) && ranks_with_lines(profile.run.directory).empty())
        steps.push_back(look_for_late_ranks(profile));
    const bool by_policy = was_routed_by_policy(profile);
    if (by_policy && !policy_option(profile.run).empty() &&
        !agreement_sentence(profile, profile.wall_us()).empty())
        steps.push_back(spare_the_agreement(profile));
    steps.push_back(by_policy ? prove_it(profile) : look_for_rules(profile));
    if (steps.size() > most_steps) steps.erase(steps.begin() + most_steps - 1, steps.end() - 1);
    return steps;
}

} // namespace switchyard::shim::report
