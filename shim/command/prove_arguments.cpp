#include "arguments.hpp"

#include <CLI/CLI.hpp>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_prove =
    R"(Runs the program in rounds: as it is; under switchyard with all calls left to MPI, for the time in MPI's own
collectives; and under the policy. The table has wall times of the whole command, the launcher included, and times
in collectives from the logs. Five rounds are the fewest that can be sure. What the program prints is not shown.

Examples:
  switchyard prove --launcher "mpirun -n 8" -- ./app input
  switchyard prove --policy my.policy.json --launcher "srun -n 64" --same "energy" -- ./app input)";

} // namespace

void add_prove(CLI::App& app, ProveOptions& options) {
    auto* prove = app.add_subcommand(
        "prove", "Run a program without and with switchyard in turn, and say whether it is faster");
    prove->footer(footer_of_prove);
    prove->add_option("--policy", options.policy, "Policy file (default: the default policy)")
        ->type_name("FILE");
    prove
        ->add_option("--launcher", options.launcher,
                     "MPI launch command, for example mpirun -n 8 (default: mpirun -n CORES)")
        ->type_name("COMMAND");
    prove->add_option("--rounds", options.rounds, "Rounds of three runs (default: 5)")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    prove
        ->add_option(
            "--same", options.same,
            "Compare the lines of stdout that this regular expression finds; all runs must print them alike")
        ->type_name("REGEX");
    prove
        ->add_option("--log", options.log,
                     "Folder for the logs (default: a new one in switchyard-proofs); report compares its "
                     "folders native and "
                     "policy")
        ->type_name("DIR");
    prove->add_option("program", options.program, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
    prove->positionals_at_end();
}

} // namespace switchyard::shim::command
