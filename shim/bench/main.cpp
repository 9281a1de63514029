// switchyard-bench measures algorithms next to the MPI library's own, in one run. One source for every MPI,
// SimGrid's simulated one included.
#include "calibrate.hpp"
#include "contenders.hpp"
#include "machine_file.hpp"
#include "options.hpp"
#include "participants.hpp"
#include "policy/text/printable.hpp"
#include "results.hpp"
#include "runner.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace switchyard::bench {

namespace {

struct Rank {
    int number = 0, ranks = 1;
};

Rank world() {
    Rank rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    PMPI_Comm_size(MPI_COMM_WORLD, &rank.ranks);
    return rank;
}

std::string library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    return text::first_line(text.data()); // Open MPI counts the zero at the end
}

bool is_simulated(const std::string& library) {
    return library.find("SMPI") != std::string::npos;
}

// The hosts' names, each once. Collective.
std::vector<std::string> hosts(int ranks) {
    constexpr std::size_t longest = MPI_MAX_PROCESSOR_NAME;
    std::array<char, longest> name{};
    int length = 0;
    PMPI_Get_processor_name(name.data(), &length);
    std::vector<char> names(longest * static_cast<std::size_t>(ranks));
    PMPI_Gather(name.data(), static_cast<int>(longest), MPI_CHAR, names.data(), static_cast<int>(longest),
                MPI_CHAR, 0, MPI_COMM_WORLD);
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < names.size(); i += longest) {
        std::string host(names.data() + i);
        if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(std::move(host));
    }
    return hosts;
}

// The peak memory of the largest process. Collective. 0 in a simulation, whose ranks share a process.
std::uint64_t peak_bytes(bool simulated) {
    std::uint64_t mine = 0, most = 0;
    std::ifstream status("/proc/self/status");
    for (std::string word; !simulated && status >> word;)
        if (word == "VmHWM:" && status >> mine) break;
    PMPI_Reduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    return most * 1024;
}

std::string date() {
    const std::time_t now = std::time(nullptr);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", std::localtime(&now));
    return text.data();
}

int refuse(const Rank& rank, const std::string& why) {
    if (rank.number == 0) std::fprintf(stderr, "switchyard-bench: %s\n", why.c_str());
    return 2;
}

// On rank 0: prints and draws. The exit status.
int conclude(const Report& report) {
    std::fputs((report.options.format == Format::table ? table_of(report) : json_of(report)).c_str(), stdout);
    std::fflush(stdout);
    int status = 0;
    if (!report.options.plot.empty()) {
        const std::string problem = draw(report);
        if (!problem.empty()) {
            std::fprintf(stderr, "switchyard-bench: %s\n", problem.c_str());
            status = 1;
        }
    }
    if (!report.is_verified()) {
        std::fputs("switchyard-bench: WRONG DATA was received, see above: the times mean nothing\n", stderr);
        status = 1;
    }
    return status;
}

// What both kinds of measurement say about the world. Collective.
Environment environment_of(const Rank& rank, const Participants& participants) {
    Environment environment;
    environment.mpi = library();
    environment.simulated = is_simulated(environment.mpi);
    environment.ranks = participants.ranks();
    environment.nodes = participants.node_map().nodes();
    environment.ranks_per_node = participants.node_map().largest();
    environment.hosts = hosts(rank.ranks);
    environment.date = date();
    return environment;
}

// Rank 0's exit status, on all ranks.
int agreed(int status) {
    PMPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

// "", or the contender that takes equal blocks only.
std::string why_not_equal(const Report& report) {
    if (report.options.distribution.kind == Distribution::Kind::equal) return "";
    const auto found = std::ranges::find_if(report.contenders, &Contender::needs_equal_blocks);
    return found == report.contenders.end() ? "" : found->name + " needs --distribution equal";
}

// One measurement, which rank 0 prints. Collective over the world. Returns the exit
// status, the same on all ranks.
int run_comparison(const Rank& rank, Participants& participants, Options options) {
    Report report;
    report.options = std::move(options);
    const auto start = std::chrono::steady_clock::now();
    const algorithms::NodeMap& map = participants.node_map();
    auto contenders = contenders_of(report.options.collective, report.options.algorithms,
                                    {participants.ranks(), map.nodes(), map.largest()}, report.options.native,
                                    report.options.in_place, report.options.max_blocks);
    if (const auto* problem = contenders.error()) return refuse(rank, *problem);
    report.contenders = std::move(contenders).value();
    if (const std::string why = why_not_equal(report); !why.empty()) return refuse(rank, why);

    if (participants.takes_part())
        report.results = measure(report.options, report.contenders, participants.group());
    participants.rejoin();
    report.environment = environment_of(rank, participants);
    report.environment.peak_bytes = peak_bytes(report.environment.simulated);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    report.environment.elapsed_seconds = elapsed.count();
    int status = report.results.empty() ? 2 : 0;
    if (status == 0 && rank.number == 0) status = conclude(report);
    return agreed(status);
}

// On rank 0: names and writes the machine's file. The exit status.
int conclude(MachineFile machine, const Options& options, const Environment& environment) {
    machine.name = options.calibrate == "-" ? environment.hosts.front()
                                            : std::filesystem::path(options.calibrate).stem().string();
    machine.source = source_of(options, environment);
    for (const std::string& doubt : doubts_about(machine))
        std::fprintf(stderr, "switchyard-bench: %s\n", doubt.c_str());
    const std::string problem = write(json_of(machine), options.calibrate);
    if (problem.empty()) return 0;
    std::fprintf(stderr, "switchyard-bench: %s\n", problem.c_str());
    return 1;
}

// Measures the machine, as run_comparison() measures contenders.
int run_calibration(const Rank& rank, Participants& participants, const Options& options) {
    std::string why = why_not_calibrated(participants.node_map());
    if (why.empty() && rank.number == 0) why = why_not_writable(options.calibrate);
    if (agreed(why.empty() ? 0 : 2) != 0) return refuse(rank, why);
    MachineFile machine;
    if (participants.takes_part()) machine = calibrate(participants.group(), is_simulated(library()));
    participants.rejoin();
    const Environment environment = environment_of(rank, participants);
    return agreed(rank.number == 0 ? conclude(std::move(machine), options, environment) : 0);
}

// One part of the command line.
int run(const Rank& rank, Options options) {
    Participants participants(options, is_simulated(library()));
    if (!participants.problem().empty()) return refuse(rank, participants.problem());
    return options.calibrate.empty() ? run_comparison(rank, participants, std::move(options))
                                     : run_calibration(rank, participants, options);
}

// Returns the worst status of all parts of the command line. Stops after a part that cannot be measured.
int run(int argc, char** argv) {
    const Rank rank = world();
    auto parsed = parse_options(argc, argv);
    if (const auto* ended = parsed.error()) {
        if (rank.number == 0) std::fputs(ended->text.c_str(), ended->status == 0 ? stdout : stderr);
        return ended->status;
    }
    int worst = 0;
    for (Options& part : parsed.value()) {
        worst = std::max(worst, run(rank, std::move(part)));
        if (worst > 1) break;
    }
    return worst;
}

} // namespace

} // namespace switchyard::bench

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int status = switchyard::bench::run(argc, argv);
    MPI_Finalize();
    return status;
}
