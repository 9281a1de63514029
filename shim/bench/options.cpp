#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace switchyard::bench {

namespace {

constexpr const char* about =
    "Measures all-to-all algorithms of switchyard beside the MPI library's own (native), all in one run and "
    "in turn, and\n"
    "checks every byte that arrives.\n\n"
    "The time of an iteration is the largest over the ranks, each from a barrier to the return of its call. "
    "Shown are the\n"
    "median over the iterations, the median absolute deviation, and the ratio to native: the median of each "
    "iteration's\n"
    "own ratio (below 1: faster than native). An alltoallv algorithm that needs the agreed largest block "
    "pays for the\n"
    "allreduce of three 64-bit words that the shim would make. Messages, bytes (in all, and those to other "
    "nodes) and rounds are the most of "
    "any rank; of\n"
    "what native sends nothing is known. Under smpirun the times are those of the simulated clock.";

constexpr const char* algorithm_help =
    "NAME[:PARAMETER=VALUE]..., as `switchyard algorithms` lists them; "
    "may be repeated, or name several with + between. A value may be a list (2,4,8), a "
    "range that doubles (2..64) and use the words ranks and sqrt (their "
    "square root, rounded up): tuna:radix=2..ranks. Two more names: "
    "preloaded, the call as a program makes it, which whatever is "
    "preloaded takes; and agreement, the shim's allreduce alone";

const char* usage_end = "Distributions: uniform in 0..S; normal with mean S and standard deviation 0.24 S; "
                        "power_law with exponent 0.95 up to\n"
                        "S; fft1 and fft2, the shapes of TuNA's section VI-A, whose sizes are fixed; "
                        "sparse:K, blocks of S to K random ranks; equal, all of S.\n"
                        "With alltoall and allgather all blocks are of S bytes.\n"
                        "Several measurements in one run: the word --then stands between their options. With "
                        "--format lines each is\nprinted as soon as it is made.";

Ended refused(const std::string& message) {
    return {message + "\nRun with --help for more information.\n", 2};
}

std::string joined(int argc, char** argv) {
    std::string command;
    for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + std::string(argv[i]);
    return command;
}

// "" or what is wrong with the options together.
std::string why_not_together(const Options& options, bool distribution_given) {
    const bool ragged = options.collective == algorithms::Collective::alltoallv;
    if (!ragged && distribution_given)
        return "--distribution is for alltoallv; the others have blocks of one size";
    if (!ragged && options.in_place) return "--in-place is for alltoallv";
    const std::string ending = std::filesystem::path(options.plot).extension();
    if (!options.plot.empty() && ending != ".png" && ending != ".svg")
        return "--plot " + options.plot + ": the file's name must end in .png or .svg";
    return "";
}

// One measurement. CLI11 wants its words last one first.
std::variant<Options, Ended> parse_part(std::vector<std::string> words) {
    Options options;
    std::string collective = "alltoallv", distribution = "uniform", format = "table";
    bool no_native = false;
    options.max_blocks = {16, 256, 4096};

    CLI::App app(about, "switchyard-bench");
    app.footer(usage_end);
    app.option_defaults()->always_capture_default();
    app.add_option("--collective", collective, "which collective")
        ->check(CLI::IsMember({"alltoallv", "alltoall", "allgather"}));
    app.add_option("-a,--algorithm", options.algorithms, algorithm_help)
        ->allow_extra_args(false)
        ->type_name("SPEC");
    app.add_option("--max-block", options.max_blocks, "S, the largest block in bytes, one or several")
        ->delimiter(',')
        ->type_name("BYTES");
    auto* given = app.add_option("--distribution", distribution, "sizes of alltoallv's blocks, see below");
    app.add_option("--iterations", options.iterations, "measured iterations")->check(CLI::Range(1, 1000000));
    app.add_option("--warmup", options.warmup, "iterations before those")->check(CLI::Range(0, 1000000));
    app.add_option("--format", format, "what is printed")->check(CLI::IsMember({"table", "json", "lines"}));
    app.add_option(
           "--plot", options.plot,
           "draw a plot with gnuplot: time over a parameter, such as the radix, where an algorithm is "
           "named with several of its values, else over the largest block")
        ->type_name("FILE.png|svg");
    app.add_option("--seed", options.seed, "of the block sizes and the data");
    app.add_option("--ranks-per-node", options.ranks_per_node,
                   "pretend nodes of that many ranks in order; 0: the hosts as they are")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--communicator-ranks", options.communicator_ranks,
                   "only so many ranks of the world take part, the first ones; 0: all. The others sleep")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--communicator-ranks-per-node", options.communicator_ranks_per_node,
                   "of those no more than so many on each node; 0: as they come")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--time-limit", options.time_limit,
                   "seconds that a contender may take at one size, then it sits out; 0: none. "
                   "One iteration is always measured")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--shared-bytes", options.shared_bytes,
                   "memory of each rank for algorithms that share some inside a node")
        ->check(CLI::Range(256, 1 << 30));
    app.add_flag("--in-place", options.in_place,
                 "alltoallv: the same buffer is sent from and received into; native gets a second one");
    app.add_flag("--no-native", no_native, "without the MPI library's own, and without ratios");
    try {
        std::ranges::reverse(words);
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out, problems;
        const int status = app.exit(error, out, problems);
        return status == 0 ? Ended{out.str(), 0} : Ended{problems.str(), 2};
    }
    const auto found = std::ranges::find(algorithms::collective_names, collective);
    options.collective = static_cast<algorithms::Collective>(found - algorithms::collective_names.begin());
    options.native = !no_native;
    options.format = format == "json" ? Format::json : format == "lines" ? Format::lines : Format::table;
    auto parsed = parse_distribution(distribution);
    if (const auto* problem = std::get_if<std::string>(&parsed))
        return refused("--distribution: " + *problem);
    options.distribution = std::get<Distribution>(parsed);
    const std::string why = why_not_together(options, given->count() > 0);
    if (!why.empty()) return refused(why);
    if (options.collective != algorithms::Collective::alltoallv)
        options.distribution.kind = Distribution::Kind::equal;
    if (options.distribution.has_fixed_sizes())
        options.max_blocks = {options.distribution.kind == Distribution::Kind::fft1 ? std::size_t{64}
                                                                                    : std::size_t{512}};
    return options;
}

} // namespace

std::variant<std::vector<Options>, Ended> parse_options(int argc, char** argv) {
    std::vector<Options> parts;
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (auto begin = words.begin();; ++begin) {
        const auto end = std::find(begin, words.end(), "--then");
        auto part = parse_part({begin, end});
        if (auto* ended = std::get_if<Ended>(&part)) return std::move(*ended);
        parts.push_back(std::get<Options>(std::move(part)));
        parts.back().command = joined(argc, argv);
        if (end == words.end()) return parts;
        begin = end;
    }
}

} // namespace switchyard::bench
