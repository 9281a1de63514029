// `switchyard report`: where the time of a run's collectives went.

#include "commands.hpp"

#include "shim/log/read.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace switchyard::shim::command {

namespace {

// Calls that a person would call the same: one collective, one way of doing it, one size of communicator and
// block.
struct Kind {
    std::string collective, algorithm;
    int ranks = 0;
    unsigned block_bits = 0; // blocks of up to 2^bits bytes
    bool operator<(const Kind& other) const {
        return std::tie(collective, algorithm, ranks, block_bits) <
               std::tie(other.collective, other.algorithm, other.ranks, other.block_bits);
    }
};

struct Totals {
    std::uint64_t calls = 0;
    double time_us = 0, slowest_us = 0, agree_us = 0, stage_us = 0;
    std::vector<double> times_us;
    std::string why;
};

struct Report {
    std::map<Kind, Totals> kinds;
    std::map<std::string, std::uint64_t> reasons; // other than the rule itself
    std::uint64_t calls = 0, routed = 0, unreadable = 0;
    double time_us = 0, agree_us = 0, stage_us = 0;
};

std::string algorithm_text(const nlohmann::json& line) {
    if (!line["algorithm"].is_string()) return "?";
    auto text = line["algorithm"].get<std::string>();
    for (const auto& [name, value] : line["parameters"].items())
        text += " " + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

void add(Report& report, const nlohmann::json& line) {
    auto block = line["max_block_bytes"].get<std::uint64_t>();
    Kind kind{line["collective"], algorithm_text(line), line["ranks"],
              block == 0 ? 0U : static_cast<unsigned>(std::bit_width(block - 1))};
    auto calls = line.value("calls", std::uint64_t{1});
    const auto& time = line["time_us"];
    auto mean = time["mean"].get<double>();
    auto& totals = report.kinds[kind];
    totals.calls += calls;
    totals.time_us += mean;
    totals.slowest_us += time["max"].get<double>();
    totals.times_us.push_back(mean / static_cast<double>(calls));
    auto reason = line["reason"].get<std::string>();
    totals.why = line["rule"].is_string() ? "rule \"" + line["rule"].get<std::string>() + "\"" : reason;
    if (reason != "rule") report.reasons[reason] += calls;
    report.calls += calls;
    if (line["algorithm"] != "native") report.routed += calls;
    report.time_us += mean;
    report.agree_us += line["phases_us"]["agree"].get<double>();
    report.stage_us += line["phases_us"]["stage"].get<double>();
}

Report read(const log::LoggedRun& run) {
    Report report;
    log::for_each_line(run, [&](const std::string& text) {
        auto line = nlohmann::json::parse(text, nullptr, false);
        try {
            add(report, line);
        } catch (const nlohmann::json::exception&) {
            ++report.unreadable;
        }
    });
    return report;
}

std::string bytes_text(unsigned bits) {
    static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bits == 0) return "0-1 B";
    return fmt::format("<= {} {}", 1U << bits % 10, units[std::min(bits / 10, 6U)]);
}

std::string time_text(double us) {
    if (us < 1e3) return fmt::format("{:.1f} us", us);
    if (us < 1e6) return fmt::format("{:.1f} ms", us * 1e-3);
    return fmt::format("{:.2f} s", us * 1e-6);
}

double median(std::vector<double> values) {
    auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void print_head(const log::LoggedRun& run) {
    auto json = nlohmann::json::parse(run.run_json, nullptr, false);
    if (!json.is_object()) json = nlohmann::json::object();
    std::string command;
    for (const auto& word : json.value("command_line", std::vector<std::string>{})) command += " " + word;
    std::cout << fmt::format("{}\n  {} ranks on {} host(s), started {}, policy {}\n ", run.directory,
                             json.value("ranks", 0), json.contains("hosts") ? json["hosts"].size() : 0,
                             json.value("started", "?"), json.value("policy_file", "?"))
              << command << '\n';
    if (!run.complete && json.value("mpi_init_seen", true))
        std::cout << "  PARTIAL: the run did not reach MPI_Finalize; these are the records that its ranks "
                     "had written\n";
    if (!run.complete && !json.value("mpi_init_seen", true))
        std::cout << "  no MPI_Init was seen (sessions): the ranks' records are merged here\n";
}

void print_kinds(const Report& report) {
    std::vector<std::pair<Kind, Totals>> kinds(report.kinds.begin(), report.kinds.end());
    std::sort(kinds.begin(), kinds.end(),
              [](const auto& left, const auto& right) { return left.second.time_us > right.second.time_us; });
    std::cout << fmt::format("\n{:>10} {:>6} {:>10} {:>9} {:>6}  {:<10} {:>6} {:>11}  {:<34} {}\n", "time",
                             "share", "median", "calls", "max/avg", "collective", "ranks", "block",
                             "algorithm", "why");
    for (const auto& [kind, totals] : kinds)
        std::cout << fmt::format(
            "{:>10} {:>5.1f}% {:>10} {:>9} {:>7.2f}  {:<10} {:>6} {:>11}  {:<34} {}\n",
            time_text(totals.time_us), report.time_us > 0 ? 100 * totals.time_us / report.time_us : 0.0,
            time_text(median(totals.times_us)), totals.calls,
            totals.time_us > 0 ? totals.slowest_us / totals.time_us : 1.0, kind.collective, kind.ranks,
            bytes_text(kind.block_bits), kind.algorithm, totals.why);
}

} // namespace

int report(const std::string& directory) {
    auto run = log::open_run(directory);
    auto report = read(run);
    print_head(run);
    std::cout << fmt::format(
        "\n{} calls, {} routed, {} in collectives (mean over the ranks), of it {} agreement and {} packing\n",
        report.calls, report.routed, time_text(report.time_us), time_text(report.agree_us),
        time_text(report.stage_us));
    if (!report.kinds.empty()) print_kinds(report);
    if (!report.reasons.empty()) std::cout << "\nnot by a rule:\n";
    for (const auto& [reason, calls] : report.reasons)
        std::cout << fmt::format("{:>9} calls: {}\n", calls, reason);
    if (report.unreadable > 0) std::cout << fmt::format("\n{} lines could not be read\n", report.unreadable);
    return 0;
}

} // namespace switchyard::shim::command
