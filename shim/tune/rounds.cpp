#include "rounds.hpp"

#include "launch.hpp"
#include "stopped.hpp"

#include "policy/features.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::tune {

namespace {

namespace fs = std::filesystem;

// Each round begins with another kind of run. So what else the machine does, and what a run leaves in its
// caches, affects all kinds.
enum Kind : std::size_t { bare, native, routed, kinds };

struct Run {
    double seconds = 0;
    std::multiset<std::string> lines; // ranks may print in any order
};

// For `--force`: `alltoallv:native;alltoall:native` and so on.
std::string all_native() {
    std::vector<std::string> words;
    for (const auto name : algorithms::collective_names) words.push_back(std::string(name) + ":native");
    return joined(words, ";");
}

std::set<fs::path> entries_of(const fs::path& folder) {
    std::set<fs::path> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) entries.insert(entry.path());
    return entries;
}

// Throws if the command fails.
Run launch_once(const Program& program, const std::vector<std::string>& words, const std::string& how,
                const std::optional<std::regex>& same) {
    Run run;
    LaunchOptions options;
    if (same)
        options.on_line = [&](const std::string& line) {
            if (std::regex_search(line, *same)) run.lines.insert(line);
        };
    const Launched launched = launch(words, options);
    if (launched.end == Launched::End::stopped) throw Stopped{};
    if (!launched.succeeded())
        throw std::runtime_error(formatted("{} {} {}", shown(program.text()), how, launched.why()));
    run.seconds = launched.seconds;
    return run;
}

// Adds up the logs of one run: a program may be a script that starts several MPI programs.
report::RunFigures figures_of(const Program& program, const std::set<fs::path>& before,
                              const fs::path& logs) {
    report::RunFigures figures;
    bool has_log = false;
    for (const auto& entry : entries_of(logs)) {
        if (before.contains(entry)) continue;
        const auto profile = report::read_profile(log::open_run(entry.string()));
        const auto pool = report::pool_of(profile);
        figures.started = figures.started.empty() ? pool.runs.front().started : figures.started;
        figures.collectives_us += pool.runs.front().collectives_us;
        figures.agreeing_us += pool.runs.front().agreeing_us;
        has_log = true;
    }
    if (!has_log)
        throw std::runtime_error(
            formatted("{} wrote no log under switchyard: it is no MPI program, its MPI is not known, or "
                      "SWITCHYARD=off is set",
                      shown(program.text())));
    return figures;
}

class InTurn {
  public:
    InTurn(const Program& program, const RoundsOptions& options) : program_(program), options_(options) {
        rounds_.native_logs = options.logs / "native";
        rounds_.routed_logs = options.logs / "policy";
    }

    Rounds take() && {
        for (int round = 0; round < options_.rounds; ++round) run_round(round);
        rounds_.native.sum = sum_of(rounds_.native_logs);
        rounds_.routed.sum = sum_of(rounds_.routed_logs);
        return std::move(rounds_);
    }

  private:
    void run_round(int round) {
        std::array<double, kinds> seconds{};
        for (std::size_t i = 0; i < kinds; ++i) {
            const auto kind = static_cast<Kind>((i + static_cast<std::size_t>(round)) % kinds);
            seconds[kind] = run(kind, round);
        }
        options_.say(formatted(
            "round {} of {}: {:.2f} s without switchyard, {:.2f} s all native, {:.2f} s under the policy",
            round + 1, options_.rounds, seconds[bare], seconds[native], seconds[routed]));
    }

    double run(Kind kind, int round) {
        const auto logs = kind == native ? rounds_.native_logs : rounds_.routed_logs;
        const auto before = entries_of(logs);
        const auto run = launch_once(program_, words(kind), how(kind), options_.same);
        compare(run, kind, round);
        report::RunFigures figures;
        if (kind != bare) figures = figures_of(program_, before, logs);
        figures.wall_us = run.seconds * 1e6;
        pool(kind).runs.push_back(figures);
        return run.seconds;
    }

    std::vector<std::string> words(Kind kind) const {
        if (kind == bare) return program_.bare();
        if (kind == native)
            return program_.under(
                {"--force", all_native(), "--log", fs::absolute(rounds_.native_logs).string()});
        std::vector<std::string> options = {"--log", fs::absolute(rounds_.routed_logs).string()};
        if (!options_.policy.empty())
            options.insert(options.end(), {"--policy", fs::absolute(options_.policy).string()});
        return program_.under(options);
    }

    // The first run is bare. So a later failure is our fault, or chance.
    std::string how(Kind kind) const {
        if (kind == bare) return "without switchyard";
        return formatted("ended well without switchyard, but under it {}",
                         kind == native ? "with all calls left to MPI" : "with the policy");
    }

    void compare(const Run& run, Kind kind, int round) {
        if (!options_.same) return;
        if (first_lines_.empty()) first_lines_ = run.lines;
        if (first_lines_.empty())
            throw std::runtime_error(
                formatted("{} prints no line that --same finds", shown(program_.text())));
        rounds_.same_lines = first_lines_.size();
        if (run.lines != first_lines_) throw std::runtime_error(difference(run, kind, round));
    }

    std::string difference(const Run& run, Kind kind, int round) const {
        std::vector<std::string> only_here;
        std::ranges::set_difference(run.lines, first_lines_, std::back_inserter(only_here));
        const std::array<const char*, kinds> names = {"without switchyard", "with all calls left to MPI",
                                                      "under the policy"};
        return formatted("the run {} of round {} prints other results than the first run{}", names[kind],
                         round + 1,
                         only_here.empty() ? ": lines are missing" : ":\n" + shown(only_here.front()));
    }

    report::Pool& pool(Kind kind) {
        return kind == bare ? rounds_.bare : kind == native ? rounds_.native : rounds_.routed;
    }

    // For sentences about the calls. If a script starts several programs: the first program's calls.
    static report::Profile sum_of(const fs::path& logs) {
        return std::move(report::pool_runs(logs.string()).pools.front().sum);
    }

    const Program& program_;
    const RoundsOptions& options_;
    Rounds rounds_;
    std::multiset<std::string> first_lines_;
};

// If the run fails, a bare run tells whose fault it is.
double seconds_under(const Program& program, const std::vector<std::string>& words) {
    try {
        return launch_once(program, words, "ended well without switchyard, but under it", {}).seconds;
    } catch (const std::runtime_error&) {
        launch_once(program, program.bare(), "without switchyard", {});
        throw;
    }
}

} // namespace

std::vector<std::string> Program::bare() const {
    auto all = launcher;
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

std::vector<std::string> Program::under(const std::vector<std::string>& options) const {
    auto all = launcher;
    all.insert(all.end(), {switchyard, "run"});
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

std::string Program::text() const {
    return joined(words, " ");
}

Rounds run_in_rounds(const Program& program, const RoundsOptions& options) {
    return InTurn(program, options).take();
}

fs::path dated_folder(const fs::path& parent, const std::string& name) {
    std::array<char, 32> now{};
    const auto seconds = std::time(nullptr);
    std::tm parts{};
    std::strftime(now.data(), now.size(), "%Y%m%d-%H%M%S", localtime_r(&seconds, &parts));
    return parent / formatted("{}.{}.{}", name, now.data(), getpid());
}

double record(const Program& program, const fs::path& logs) {
    const auto words =
        program.under({"--force", all_native(), "--detail", "calls", "--log", fs::absolute(logs).string()});
    const auto before = entries_of(logs);
    const auto seconds = seconds_under(program, words);
    figures_of(program, before, logs); // throws without a log
    return seconds;
}

} // namespace switchyard::shim::tune
