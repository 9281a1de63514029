#include "commands.hpp"
#include "manual.hpp"

#include "version.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

namespace {

using namespace switchyard;
using namespace switchyard::shim;

std::map<std::string, algorithms::Collective> collectives() {
    std::map<std::string, algorithms::Collective> names;
    for (std::size_t i = 0; i < algorithms::collective_count; ++i)
        names.emplace(algorithms::collective_names[i], static_cast<algorithms::Collective>(i));
    return names;
}

void add_run(CLI::App& app, command::RunOptions& options) {
    auto* run = app.add_subcommand(
        "run", "Put switchyard in front of a program: mpirun -n 8 switchyard run -- ./app");
    run->add_option("--policy", options.policy, "Policy file (SWITCHYARD_POLICY)")->type_name("FILE");
    run->add_option("--log", options.log, "Directory for run logs, or off (SWITCHYARD_LOG)")
        ->type_name("DIR");
    run->add_option("--force", options.force, "alltoallv:tuna:radix=4[;allgather:ring] (SWITCHYARD_FORCE)")
        ->type_name("SPEC");
    run->add_option("--detail", options.detail, "calls, ranks or summary (SWITCHYARD_DETAIL)")
        ->type_name("DETAIL");
    run->add_option("program", options.program, "The program and its arguments, after --")->required();
    run->positionals_at_end();
}

struct ExplainOptions {
    std::string file;
    policy::Features call;
};

void add_explain(CLI::App& app, ExplainOptions& options) {
    static const std::map<std::string, policy::Buffer> buffers = {{"host", policy::Buffer::host},
                                                                  {"device", policy::Buffer::device}};
    static const std::map<std::string, bool> yes_or_no = {{"yes", true}, {"no", false}};
    auto& call = options.call;
    auto* explain =
        app.add_subcommand("explain", "Say which rule a call takes, and why each earlier one does not");
    explain->add_option("policy", options.file, "Policy file")->required();
    explain->add_option("--collective", call.collective, "alltoallv, alltoall or allgather")
        ->required()
        ->type_name("COLLECTIVE")
        ->transform(CLI::CheckedTransformer(collectives()).description(""));
    explain->add_option("--ranks", call.ranks, "Ranks of the communicator")
        ->required()
        ->check(CLI::PositiveNumber);
    explain
        ->add_option("--ranks-per-node", call.ranks_per_node,
                     "The largest number of its ranks on one node (1)")
        ->check(CLI::PositiveNumber);
    explain->add_option("--nodes", call.nodes, "Nodes that hold ranks of it (ranks / ranks per node)")
        ->check(CLI::PositiveNumber);
    explain->add_option("--max-block", call.max_block_bytes,
                        "Largest block that any rank sends to any other, in bytes");
    explain->add_option("--buffer", call.buffer, "host or device (host)")
        ->type_name("KIND")
        ->transform(CLI::CheckedTransformer(buffers).description(""));
    explain
        ->add_option("--gpu-aware", call.gpu_aware,
                     "yes or no: whether the MPI takes device buffers on all ranks (no)")
        ->type_name("ANSWER")
        ->transform(CLI::CheckedTransformer(yes_or_no).description(""));
    explain->add_option("--staging-bytes", call.staging_bytes,
                        "Host memory for staging device buffers, of the rank that takes most (0)");
    explain->add_flag("--in-place", call.in_place, "The call passes MPI_IN_PLACE");
    explain->add_flag("--overlapping", call.overlapping,
                      "Its send and receive buffers overlap, which MPI forbids and in_place serves");
}

// What was not given and follows from the rest.
void complete(policy::Features& call, const CLI::App& explain) {
    call.in_place = call.in_place || call.overlapping;
    call.devices = call.buffer == policy::Buffer::device;
    if (explain.count("--nodes") == 0)
        call.nodes = (call.ranks + call.ranks_per_node - 1) / call.ranks_per_node;
    if (explain.count("--ranks-per-node") == 0)
        call.ranks_per_node = (call.ranks + call.nodes - 1) / call.nodes;
}

int main_guarded(int argc, char** argv) {
    CLI::App app{"route the all-to-all collectives of MPI programs by a policy"};
    app.set_version_flag("--version", switchyard::version);
    app.require_subcommand(1);
    app.failure_message(CLI::FailureMessage::help);

    command::RunOptions run;
    add_run(app, run);
    std::string policy;
    auto* check = app.add_subcommand("check", "Say everything that is wrong with a policy");
    check->add_option("policy", policy, "Policy file")->required();
    ExplainOptions explain;
    add_explain(app, explain);
    bool json = false, markdown = false;
    auto* algorithms =
        app.add_subcommand("algorithms", "List every algorithm with its parameters and its source");
    algorithms->add_flag("--json", json, "As JSON");
    algorithms->add_flag("--markdown", markdown, "As the table of the README")->excludes("--json");
    std::string log;
    auto* report = app.add_subcommand("report", "Summarize a run's log");
    report->add_option("log", log, "The run's directory")->required();
    auto* config = app.add_subcommand("config", "Show every setting, its value and where it came from");
    // For the build, which installs what they print.
    auto* manual = app.add_subcommand("manual", "Print this command's manual page")->group("");
    auto* completion =
        app.add_subcommand("completion", "Print this command's completion for bash")->group("");

    CLI11_PARSE(app, argc, argv);
    if (*manual) return command::write_manual(app, std::cout), 0;
    if (*completion) return command::write_completion(app, std::cout), 0;
    if (*check) return command::check(policy);
    if (*algorithms)
        return command::list_algorithms(json       ? command::ListFormat::json
                                        : markdown ? command::ListFormat::markdown
                                                   : command::ListFormat::text);
    if (*report) return command::report(log);
    if (*config) return command::config();
    if (auto* given = app.get_subcommand("explain"); *given) {
        complete(explain.call, *given);
        return command::explain(explain.file, explain.call);
    }
    return command::run(run);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return main_guarded(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "switchyard: " << error.what() << '\n';
        return 1;
    }
}
