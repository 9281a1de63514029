#include "run_sentences.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

std::string share_of_policies_text(const Profile& profile) {
    const double all = profile.per_rank(profile.all_rank_us());
    const auto names = joined(profile.collectives(), ", ");
    return formatted("{} in collectives, {} of the wall time; a policy can change {} of it{}", time_text(all),
                     share_text(all, profile.wall_us()),
                     names.empty() ? "none" : time_text(profile.per_rank(profile.rank_us.whole)),
                     names.empty() ? "" : " (" + shown(names, 200) + ")");
}

std::string waiting_text(const Profile& profile) {
    if (std::ranges::none_of(profile.run.counted, &CountedKind::ends_elsewhere)) return "";
    return "Of nonblocking collectives the time is that of the call that starts them, without MPI_Wait.";
}

std::string shape_text(int ranks, int nodes) {
    const auto number = [](int count) { return static_cast<std::uint64_t>(std::max(count, 0)); };
    return text::plural(number(ranks), "rank") +
           (nodes > 0 ? " on " + text::plural(number(nodes), "node") : "");
}

std::string missing_calls_text(const Profile& profile) {
    const auto missing = profile.missing_calls();
    return formatted("{} of the run {} missing: the file is truncated", text::plural(missing, "call"),
                     missing == 1 ? "is" : "are");
}

std::vector<Fact> facts_of(const Profile& profile) {
    const auto& run = profile.run;
    return {{"command", run.command_line},
            {"started", run.started},
            {"MPI", run.mpi_library},
            {"policy", run.policy_file},
            {"log", run.directory}};
}

std::string title_of(const Profile& profile) {
    const auto& run = profile.run;
    const bool whole = !run.partial && !run.sessions;
    return formatted("{}, {}, {}{}", run.program.empty() ? "a program" : shown(run.program),
                     shape_text(profile.ranks, profile.nodes()),
                     run.wall_us > 0     ? "wall time " + time_text(run.wall_us)
                     : profile.calls > 0 ? "at least " + time_text(profile.end_us) + " of wall time"
                                         : "no wall time known",
                     whole ? ", complete" : "");
}

std::vector<std::string> state_of(const Profile& profile) {
    const auto& run = profile.run;
    std::vector<std::string> sentences;
    if (run.partial)
        sentences.push_back(
            "PARTIAL: the run did not reach MPI_Finalize; its ranks had written these records");
    if (run.sessions)
        sentences.push_back("no MPI_Init was seen (sessions): this report merges the ranks' records");
    if (run.summary) sentences.push_back("a summary: median and p95 are over means of many calls");
    return sentences;
}

std::vector<std::string> damage_of(const Profile& profile) {
    std::vector<std::string> sentences;
    if (profile.unreadable > 0)
        sentences.push_back(
            formatted("{} could not be read{}", text::plural(profile.unreadable, "line"),
                      profile.torn ? ", the last one among them: the file is truncated" : ""));
    if (profile.missing_calls() > 0) sentences.push_back(missing_calls_text(profile));
    if (profile.run.dropped > 0)
        sentences.push_back(formatted("{} had no room while the program ran: the sums are too small",
                                      text::plural(profile.run.dropped, "record")));
    return sentences;
}

} // namespace switchyard::shim::report
