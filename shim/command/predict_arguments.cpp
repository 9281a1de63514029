#include "arguments.hpp"
#include "completion.hpp"

#include "algorithms/collective.hpp"
#include "policy/text/lists.hpp"
#include "shim/bench/distributions.hpp"

#include <CLI/CLI.hpp>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_predict =
    R"(Nothing is measured, and no MPI is needed: a model adds up what each algorithm sends and copies, round by round.

  algorithm with its setting; (+2): two more settings have the same figures
  time us   from the start of a call to the end of its slowest rank, with the agreement that an algorithm needs
  messages  of the rank that sends most, with their bytes; those of the agreement are not counted
  scratch   memory of a rank beside its buffers
  bound by  what takes most of the time, and its share

The model, its errors, and the keys of JSON: share/doc/switchyard/shim/predict/README.md

Examples:
  switchyard predict --machine polaris --ranks 8192 --ranks-per-node 64 --max-block 16 -n 10
  switchyard predict --machine my.machine.json --ranks 256,1024 --ranks-per-node 32 --algorithm tuna:radix=2..ranks
  switchyard predict --machine polaris --ranks 128,512,2048,8192,32768 --ranks-per-node 64 --map map.svg
  switchyard predict --machine fugaku --ranks 512 --ranks-per-node 32 --collective allgather --format csv)";

void add_what_to_predict(CLI::App& predict, PredictOptions& options) {
    predict.add_option("--ranks", options.ranks, "Numbers of ranks, separated by commas")
        ->delimiter(',')
        ->required()
        ->check(CLI::Range(2, 1 << 20).description(""))
        ->type_name("N");
    predict.add_option("--ranks-per-node", options.ranks_per_node, "Ranks on each node (default: 1)")
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N");
    predict
        .add_option(
            "--max-block", options.blocks,
            "Largest blocks in bytes, separated by commas (default: 16,256,4096; for a map 8,16,32 to 65536)")
        ->delimiter(',')
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 31).description(""))
        ->type_name("BYTES");
    const std::vector<std::string> distributions(bench::distribution_names.begin(),
                                                 bench::distribution_names.end());
    auto* distribution =
        predict
            .add_option("--distribution", options.distribution,
                        "Sizes of blocks where they may differ, as in the benchmark (default: uniform)")
            ->type_name("NAME");
    offer(distribution, distributions);
    const std::vector<std::string> collectives(algorithms::dense_collective_names.begin(),
                                               algorithms::dense_collective_names.end());
    auto* collective = predict
                           .add_option("--collective", options.collective,
                                       "Collective: " + text::enumerated(algorithms::collective_names, "or") +
                                           " (default: alltoallv)")
                           ->check(CLI::IsMember(collectives).description(""))
                           ->type_name("NAME");
    offer(collective, collectives);
    predict
        .add_option(
            "-a,--algorithm", options.algorithms,
            "An algorithm with parameters, as in the benchmark: tuna:radix=2..ranks; repeat it for several "
            "(default: all, with the values that tune tries)")
        ->allow_extra_args(false)
        ->type_name("SETTING");
}

} // namespace

void add_predict(CLI::App& app, PredictOptions& options) {
    auto* predict =
        app.add_subcommand("predict", "Print what each algorithm would take on a machine, by a model");
    predict->footer(footer_of_predict);
    predict->add_option("--machine", options.machine, "Machine file, or polaris or fugaku")
        ->required()
        ->type_name("FILE");
    add_what_to_predict(*predict, options);
    add_format(*predict, options.format);
    predict->add_option("-n,--best", options.best, "Only the best N of each table (default: all)")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("N");
    predict
        ->add_option("--map", options.map,
                     "Write a picture (SVG) of the fastest algorithm over ranks and blocks to this file, in "
                     "place of tables")
        ->type_name("FILE");
}

} // namespace switchyard::shim::command
