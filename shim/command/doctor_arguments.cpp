#include "arguments.hpp"
#include "completion.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/tune/doctor_limits.hpp"
#include "shim/tune/machine.hpp"

#include <CLI/CLI.hpp>

namespace switchyard::shim::command {

namespace {

std::string footer_of_doctor() {
    using namespace tune::doctor_limits;
    return formatted(
        R"(Measures the MPI library's own collectives over a ladder of block sizes, on all ranks and on smaller communicators,
in {0} repetitions. It prints their times and what is wrong with them:

  cliff      a call takes at least {1:g} times as long as a call that moves more, or as several smaller calls that
             together move as much
  guideline  a function takes at least {2:g} times as long as other functions that do the same, such as
             MPI_Alltoallv with equal counts for MPI_Alltoall; or at least {3:g} times as long as a special one, such
             as MPI_Alltoall for MPI_Alltoallv with equal counts

A finding holds in each repetition and in a second survey, and is about {4:g} us at least. The policy has a rule for each
finding where one of switchyard's algorithms was faster.

Exit status: 0 without findings, 1 with findings, 2 if nothing could be measured.

Examples:
  switchyard doctor --launcher "mpirun -n 16"
  switchyard doctor --launcher "srun -n 64" --mpi mpich --budget 5m -o avoid.policy.json
  switchyard doctor --launcher "mpirun -n 16" --collective alltoallv --format json)",
        repetitions, cliff, guideline, generality, least_us);
}

void add_machine(CLI::App& doctor, DoctorOptions& options) {
    doctor
        .add_option("--launcher", options.launcher,
                    "MPI launch command, for example mpirun -n 8 (default: mpirun -n CORES)")
        ->type_name("COMMAND");
    auto* mpi = doctor
                    .add_option("--mpi", options.mpi,
                                "MPI of the launcher (default: as the launcher's --version says)")
                    ->check(CLI::IsMember(tune::mpi_names()))
                    ->type_name("NAME");
    offer(mpi, tune::mpi_names());
    doctor
        .add_option("--benchmark", options.benchmark,
                    "Benchmark to measure with (default: switchyard-bench-MPI beside this command)")
        ->excludes(mpi)
        ->type_name("PROGRAM");
}

} // namespace

void add_doctor(CLI::App& app, DoctorOptions& options) {
    auto* doctor = app.add_subcommand(
        "doctor", "Find block sizes where the MPI library is badly tuned, and rules that avoid it");
    doctor->footer(footer_of_doctor());
    add_machine(*doctor, options);
    doctor->add_option("--budget", options.budget, "Time limit, such as 90s, 3m or 1h30m (default: 2m)")
        ->type_name("TIME");
    const std::vector<std::string> names(algorithms::dense_collective_names.begin(),
                                         algorithms::dense_collective_names.end());
    auto* collective = doctor
                           ->add_option("--collective", options.collectives,
                                        "Collectives, separated by commas (default: " +
                                            text::enumerated(algorithms::collective_names) + ")")
                           ->delimiter(',')
                           ->check(CLI::IsMember(names))
                           ->type_name("NAME");
    offer(collective, names);
    doctor
        ->add_option("--max-block", options.blocks,
                     "Blocks in bytes, separated by commas (default: powers of two up to 262144)")
        ->delimiter(',')
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40).description(""))
        ->type_name("BYTES");
    doctor->add_option("-o,--output", options.output, "Also write the policy to this file")
        ->type_name("FILE");
    add_format(*doctor, options.format);
}

} // namespace switchyard::shim::command
