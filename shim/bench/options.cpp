#include "options.hpp"

#include "policy/admissible.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

namespace switchyard::bench {

namespace {

constexpr const char* about =
    R"(Measures switchyard's algorithms for one collective beside the MPI library's own (native), all in one run and in turn,
and checks every byte that arrives.

An iteration lasts as long as its slowest rank needs from a barrier to the return of its call. Before it, every
rank writes its send buffer anew, as programs do. The table has the median over the iterations, the median absolute
deviation (MAD) and the ratio to native. The ratio is the median of each iteration's own ratio: below 1 the algorithm is
faster than native. What a program pays that makes few calls is in the columns after it: the very first call, the mean of
all calls from the first one on, those of --warmup included, and this mean over native's. Where an algorithm needs the
largest block of all ranks and MPI does not tell it, its time includes the agreement that the shim would make. Messages, bytes and rounds are those of the rank that has the most; the `inter`
columns count what goes to other nodes. The messages of native are not known. Under smpirun the times are those of the
simulated clock.)";

constexpr const char* algorithm_help =
    "An algorithm with parameters: NAME[:PARAMETER=VALUE]..., as `switchyard algorithms` lists them. "
    "Repeat the option, or join several algorithms with +. A value may be a list (2,4,8) or a range that "
    "doubles (2..64). The word ranks stands for the number of ranks, sqrt for its square root, rounded up: "
    "tuna:radix=2..ranks. Two more names: preloaded is the MPI function as a program calls it, so a "
    "preloaded shim takes it; agreement is this agreement alone. With equal blocks two more: as_alltoallv "
    "makes the same exchange by MPI_Alltoallv, and so on; gather_and_bcast an allgather by MPI_Gather and "
    "MPI_Bcast";

constexpr const char* usage_end =
    R"(Distributions:
  uniform     0 to S bytes
  normal      mean S, standard deviation 0.24 S
  power_law   exponent 0.95, up to S bytes
  fft1, fft2  the shapes of the TuNA paper, section VI-A; their sizes are fixed
  sparse:K    S bytes to each of K random ranks
  equal       S bytes to everybody
  partition   S bytes from each rank in all, cut at random into blocks for all other ranks; partition:K: for K random ranks
  window:R    (100 - R) % to R % of S, R from 50 (all equal) to 100 (uniform): the two-phase Bruck paper, section 4.2
In a collective without counts for each rank, all blocks have S bytes.

Several measurements in one run: write --then between their options. With --format lines each is printed as soon as it is
complete.)";

Ended refused(const std::string& message) {
    return {message + "\nRun with --help for more information.\n", 2};
}

std::string joined(int argc, char** argv) {
    std::string command;
    for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + std::string(argv[i]);
    return command;
}

// `alltoallv`, or several names with `and` between them.
template <typename Predicate>
std::string collectives_with(Predicate&& predicate) {
    std::string names;
    for (const auto& traits : algorithms::dense_collectives)
        if (predicate(traits)) names += (names.empty() ? "" : " and ") + std::string(traits.name);
    return names;
}

bool has_block_sizes(const algorithms::CollectiveTraits& traits) {
    return traits.has_count_arrays();
}

bool has_in_place(const algorithms::CollectiveTraits& traits) {
    return policy::taking_overlap(traits.collective) != nullptr;
}

// "", or an option that means nothing to a calibration.
std::string foreign_to_calibration(const CLI::App& app) {
    constexpr std::array own = {"--calibrate", "--ranks-per-node", "--communicator-ranks",
                                "--communicator-ranks-per-node"};
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && std::ranges::find(own, option->get_name()) == own.end())
            return option->get_name();
    return "";
}

// "", or why the options do not fit together.
std::string why_not_together(const Options& options, bool distribution_given) {
    const auto& collective = traits_of(options.collective);
    if (distribution_given && !has_block_sizes(collective))
        return "--distribution is for " + collectives_with(has_block_sizes) + ": all blocks of " +
               std::string(collective.name) + " have one size";
    if (options.in_place && !has_in_place(collective))
        return "--in-place is for " + collectives_with(has_in_place);
    const std::string ending = std::filesystem::path(options.plot).extension();
    if (!options.plot.empty() && ending != ".png" && ending != ".svg")
        return "--plot " + options.plot + ": the name of the file must end in .png or .svg";
    return "";
}

std::vector<std::string> collective_words() {
    return {algorithms::dense_collective_names.begin(), algorithms::dense_collective_names.end()};
}

// One measurement.
text::Result<Options, Ended> parse_part(std::vector<std::string> words) {
    Options options;
    std::string collective(name_of(options.collective)), distribution = "uniform", format = "table";
    bool no_native = false;
    options.max_blocks = {16, 256, 4096};

    CLI::App app(about, "switchyard-bench");
    app.footer(usage_end);
    app.option_defaults()->always_capture_default();
    app.add_option("--collective", collective, "Collective to measure")
        ->check(CLI::IsMember(collective_words()));
    app.add_option("-a,--algorithm", options.algorithms, algorithm_help)
        ->allow_extra_args(false)
        ->type_name("SPEC");
    app.add_option("--max-block", options.max_blocks, "S, the largest block in bytes; several with commas")
        ->delimiter(',')
        ->type_name("BYTES");
    auto* given = app.add_option("--distribution", distribution,
                                 "Block sizes of " + collectives_with(has_block_sizes) + ", see below");
    app.add_option("--iterations", options.iterations, "Measured iterations")->check(CLI::Range(1, 1000000));
    app.add_option("--warmup", options.warmup,
                   "Iterations before the measured ones: in the means, not in the medians")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--format", format, "Form of the output")
        ->check(CLI::IsMember({"table", "json", "lines"}));
    app.add_option(
           "--plot", options.plot,
           "Draw a plot with gnuplot. The plot shows the time over a parameter, such as the radix, if "
           "an algorithm has several values of it; otherwise over the largest block")
        ->type_name("FILE.png|svg");
    app.add_option("--seed", options.seed, "Seed of the block sizes and of the data");
    app.add_option("--ranks-per-node", options.ranks_per_node,
                   "Pretend that each node has so many consecutive ranks; 0: the real hosts")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--communicator-ranks", options.communicator_ranks,
                   "Measure with the first N ranks only, while the others sleep; 0: with all")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--communicator-ranks-per-node", options.communicator_ranks_per_node,
                   "With --communicator-ranks: take at most N ranks of each node; 0: in the order of ranks")
        ->check(CLI::Range(0, 1000000));
    app.add_option(
           "--time-limit", options.time_limit,
           "Seconds for each algorithm at each block size; 0: no limit. After them the algorithm sits "
           "out. It gets one iteration at least")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--shared-bytes", options.shared_bytes,
                   "Memory of each rank for algorithms that share memory inside a node")
        ->check(CLI::Range(256, 1 << 30));
    app.add_flag("--in-place", options.in_place,
                 "Send from and receive into the same buffer (" + collectives_with(has_in_place) +
                     "). Native gets a second buffer");
    app.add_flag(
        "--read", options.reads,
        "Each rank reads all that it received, and a call's time includes it: an algorithm may leave "
        "the bytes in a cache or not");
    app.add_flag(
        "--cold", options.cold,
        "Before each call, each rank writes other memory, as a program does that computes between its calls: "
        "the buffers are no longer in the caches");
    app.add_flag(
        "--phases", options.phases,
        "Say how long the phases inside the algorithms take, the mean over the ranks (--format json, "
        "lines). A simulation always does");
    app.add_flag("--no-native", no_native, "Leave out native, and with it the ratios");
    app.add_option(
           "--calibrate", options.calibrate,
           "Measure no collective, but the machine: latency, overhead and bandwidth of its network and "
           "inside a "
           "node, and copies. Write them to FILE (-: stdout), which `switchyard predict` reads. It takes two "
           "nodes, and two ranks on the first")
        ->type_name("FILE");
    try {
        std::ranges::reverse(words); // as CLI11 wants them
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out, problems;
        const int status = app.exit(error, out, problems);
        return status == 0 ? Ended{out.str(), 0} : Ended{problems.str(), 2};
    }
    if (!options.calibrate.empty())
        if (const std::string foreign = foreign_to_calibration(app); !foreign.empty())
            return refused("--calibrate measures the machine, not algorithms: leave out " + foreign);
    options.collective = algorithms::collective_of(collective).value();
    options.native = !no_native;
    options.format = format == "json" ? Format::json : format == "lines" ? Format::lines : Format::table;
    auto parsed = parse_distribution(distribution);
    if (const auto* problem = parsed.error()) return refused("--distribution: " + *problem);
    options.distribution = parsed.value();
    const std::string why = why_not_together(options, given->count() > 0);
    if (!why.empty()) return refused(why);
    if (!traits_of(options.collective).has_count_arrays())
        options.distribution.kind = Distribution::Kind::equal;
    if (options.distribution.has_fixed_sizes())
        options.max_blocks = {options.distribution.kind == Distribution::Kind::fft1 ? std::size_t{64}
                                                                                    : std::size_t{512}};
    return options;
}

} // namespace

text::Result<std::vector<Options>, Ended> parse_options(int argc, char** argv) {
    std::vector<Options> parts;
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (auto begin = words.begin();; ++begin) {
        const auto end = std::find(begin, words.end(), "--then");
        auto part = parse_part({begin, end});
        if (auto* ended = part.error()) return std::move(*ended);
        parts.push_back(std::move(part).value());
        parts.back().command = joined(argc, argv);
        if (parts.size() > 1 && !(parts.front().calibrate.empty() && parts.back().calibrate.empty()))
            return refused("--calibrate measures the machine, not algorithms: leave out --then");
        if (end == words.end()) return parts;
        begin = end;
    }
}

} // namespace switchyard::bench
