#include "arguments.hpp"
#include "completion.hpp"

#include "algorithms/collective.hpp"
#include "policy/text/lists.hpp"
#include "shim/tune/grid.hpp"
#include "shim/tune/machine.hpp"

#include <CLI/CLI.hpp>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_tune =
    R"(Measures the algorithms (switchyard algorithms) beside the MPI library's own, until their order is clear or the budget
is spent. Then it makes the same calls under switchyard with the new policy, and drops each rule that is not faster
there. A command that was stopped goes on where it was when it is given again; with a larger budget it goes on after
its end. Read on: share/doc/switchyard/shim/tune/README.md

Examples:
  switchyard tune -o my.policy.json --launcher "mpirun -n 64"
  switchyard tune -o my.policy.json --launcher "mpirun -n 64" --program "./app input"
  switchyard tune -o my.policy.json --launcher "srun -n 64" --mpi mpich --from switchyard-logs --budget 10m
  switchyard tune -o my.policy.json --simulate polaris --ranks 256 --ranks-per-node 32 --collective alltoallv
  switchyard tune -o my.policy.json --predict --machine my.machine.json --ranks 4096,8192 --ranks-per-node 64
  switchyard tune -o my.policy.json --predict --machine my.machine.json --launcher "srun -n 4096")";

void add_what_to_measure(CLI::App& tune, TuneOptions& options) {
    auto* log = tune.add_option("--from", options.log,
                                "Measure the calls of an application: folder of a run, or a folder of runs "
                                "(the latest counts)")
                    ->type_name("LOGDIR");
    auto* program =
        tune.add_option("--program", options.program,
                        "Record the calls of this program and measure them; at the end, run the program "
                        "alternately without and with the policy")
            ->type_name("COMMAND");
    tune.add_option("--rounds", options.rounds, "Rounds of three runs of the program at the end (default: 5)")
        ->needs(program)
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    const std::vector<std::string> collectives(algorithms::dense_collective_names.begin(),
                                               algorithms::dense_collective_names.end());
    auto* collective = tune.add_option("--collective", options.collectives,
                                       "Collectives, separated by commas (default: " +
                                           text::enumerated(algorithms::collective_names) + ")")
                           ->delimiter(',')
                           ->check(CLI::IsMember(collectives))
                           ->type_name("NAME");
    offer(collective, collectives);
    auto* blocks =
        tune.add_option("--max-block", options.blocks,
                        "Largest blocks in bytes, separated by commas (default: 8,64,512,4096,32768)")
            ->delimiter(',')
            ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40).description(""))
            ->type_name("BYTES");
    auto* ranks =
        tune.add_option("--ranks", options.ranks,
                        "Sizes of communicators, separated by commas (default: all ranks; simulated: 256)")
            ->delimiter(',')
            ->check(CLI::Range(2, 1 << 30).description(""))
            ->type_name("N");
    auto* distribution =
        tune.add_option("--distribution", options.distribution,
                        "Sizes of blocks where they may differ, as in the benchmark (default: uniform)")
            ->type_name("NAME");
    offer(distribution, tune::distribution_names());
    log->excludes(blocks)->excludes(ranks)->excludes(distribution)->excludes(program);
    program->excludes(blocks)->excludes(ranks)->excludes(distribution);
}

void add_where(CLI::App& tune, TuneOptions& options) {
    auto* launcher = tune.add_option("--launcher", options.launcher,
                                     "MPI launch command, for example mpirun -n 8 (default: mpirun -n CORES)")
                         ->type_name("COMMAND");
    auto* mpi = tune.add_option("--mpi", options.mpi,
                                "MPI of the launcher (default: as the launcher's --version says)")
                    ->check(CLI::IsMember(tune::mpi_names()))
                    ->type_name("NAME");
    offer(mpi, tune::mpi_names());
    auto* benchmark =
        tune.add_option("--benchmark", options.benchmark,
                        "Benchmark to measure with (default: switchyard-bench-MPI beside this command)")
            ->excludes(mpi)
            ->type_name("PROGRAM");
    auto* simulate =
        tune.add_option("--simulate", options.platform,
                        "Measure on a simulated machine: polaris, fugaku or a platform file of SimGrid")
            ->type_name("PLATFORM");
    offer(simulate, {"polaris", "fugaku"});
    auto* predict =
        tune.add_flag("--predict", options.predict,
                      "Measure no candidates: take the times of `switchyard predict`, for scales that you "
                      "cannot run. With --launcher the rules are proved");
    auto* model =
        tune.add_option("--machine", options.model, "With --predict: machine file, or polaris or fugaku")
            ->needs(predict)
            ->type_name("FILE");
    predict->needs(model);
    for (const char* option : {"--from", "--program", "--dry-run"}) predict->excludes(option);
    predict->excludes(simulate);
    auto* per_node = tune.add_option("--ranks-per-node", options.simulated_ranks_per_node,
                                     "Ranks on each node, with --simulate or --predict (default: 32)")
                         ->check(CLI::Range(1, 65536).description(""))
                         ->type_name("N");
    tune.callback([=, &tune] {
        if (per_node->count() > 0 && simulate->count() == 0 && predict->count() == 0)
            throw CLI::RequiresError("--ranks-per-node", "--simulate or --predict");
        if (predict->count() == 0) return;
        if (launcher->count() > 0) {
            if (per_node->count() > 0) throw CLI::ExcludesError("--launcher", "--ranks-per-node");
            return;
        }
        if (tune.count("--ranks") == 0) throw CLI::RequiresError("--predict", "--ranks or --launcher");
        for (const char* option : {"--budget", "--mpi", "--benchmark"})
            if (tune.count(option) > 0)
                throw CLI::RequiresError(std::string(option) + " with --predict", "--launcher");
    });
    simulate->excludes(launcher)->excludes(mpi)->excludes(benchmark)->excludes("--program");
}

} // namespace

void add_tune(CLI::App& app, TuneOptions& options) {
    auto* tune = app.add_subcommand("tune", "Measure the algorithms on this machine and write a policy");
    tune->footer(footer_of_tune);
    tune->add_option("-o,--output", options.output, "Policy file to write")->required()->type_name("FILE");
    tune->add_option("--budget", options.budget,
                     "Time limit, such as 90s, 3m or 1h30m (default: 3m; simulated: none)")
        ->type_name("TIME");
    add_what_to_measure(*tune, options);
    tune->add_flag("--dry-run", options.dry_run,
                   "Print what would be measured and for how long; measure nothing");
    add_where(*tune, options);
}

} // namespace switchyard::shim::command
