#include "arguments.hpp"

#include "shim/tune/machine.hpp"

namespace switchyard::shim::command {

namespace {

constexpr const char* footer =
    R"(Measures what may run (switchyard algorithms) beside the MPI library's own with the benchmark that stands
beside this command, in rounds: after each the worse half is dropped and the rest measured longer, until the
order is clear or the budget is spent. Then it runs the benchmark's calls under switchyard with the new policy,
and what is not faster there, everything included, goes. A rule carries its figures in its "because".

Every measurement is written at once to the policy's name with .tuning behind it. Stopped, or failed in the
middle, the same command goes on from there; with a larger budget it goes on after the end.

Examples:
  switchyard tune -o my.policy.json --launcher "mpirun -n 64"
  switchyard tune -o my.policy.json --launcher "srun -n 64" --mpi mpich --from switchyard-logs --budget 10m
  switchyard tune -o my.policy.json --simulate polaris --ranks 256 --ranks-per-node 32 --collective alltoallv)";

void add_what_to_measure(CLI::App& tune, TuneOptions& options) {
    auto* log =
        tune.add_option("--from", options.log,
                        "Measure what the application did: a run's log, or a folder of logs (the last)")
            ->type_name("LOGDIR");
    tune.add_option("--collective", options.collectives, "Which collectives, by commas (all three)")
        ->delimiter(',')
        ->check(CLI::IsMember({"alltoallv", "alltoall", "allgather"}))
        ->type_name("NAME");
    auto* blocks = tune.add_option("--max-block", options.blocks,
                                   "Largest blocks in bytes, by commas (8,64,512,4096,32768)")
                       ->delimiter(',')
                       ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40).description(""))
                       ->type_name("BYTES");
    auto* ranks = tune.add_option("--ranks", options.ranks,
                                  "Ranks of communicators, by commas (all that are started; simulated: 256)")
                      ->delimiter(',')
                      ->check(CLI::Range(2, 1 << 30).description(""))
                      ->type_name("N");
    auto* distribution = tune.add_option("--distribution", options.distribution,
                                         "Sizes of alltoallv's blocks, as in the benchmark (uniform)")
                             ->type_name("NAME");
    log->excludes(blocks)->excludes(ranks)->excludes(distribution);
}

void add_where(CLI::App& tune, TuneOptions& options) {
    auto* launcher = tune.add_option("--launcher", options.launcher,
                                     "What starts the ranks, as before a program (mpirun -n CORES)")
                         ->type_name("COMMAND");
    auto* mpi = tune.add_option("--mpi", options.mpi, "MPI of the launcher (as its --version says)")
                    ->check(CLI::IsMember(tune::mpi_names()))
                    ->type_name("NAME");
    auto* simulate =
        tune.add_option("--simulate", options.platform,
                        "On a simulated machine: polaris, fugaku or a platform file of SimGrid's")
            ->type_name("PLATFORM");
    tune.add_option("--ranks-per-node", options.simulated_ranks_per_node, "On each simulated node (32)")
        ->needs(simulate)
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N");
    simulate->excludes(launcher)->excludes(mpi);
}

} // namespace

void add_tune(CLI::App& app, TuneOptions& options) {
    auto* tune = app.add_subcommand("tune", "Measure the algorithms on this machine and write a policy");
    tune->footer(footer);
    tune->add_option("-o,--output", options.output, "Policy file to write")->required()->type_name("FILE");
    tune->add_option("--budget", options.budget, "Time that it may take, e.g. 90s, 3m, 1h30m (3m)")
        ->type_name("TIME");
    add_where(*tune, options);
    add_what_to_measure(*tune, options);
    tune->add_flag("--dry-run", options.dry_run, "Print what would be measured, and for how long");
}

} // namespace switchyard::shim::command
