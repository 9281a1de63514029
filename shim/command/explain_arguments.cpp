#include "arguments.hpp"

#include <map>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer =
    R"(With --collective and --ranks: which rule takes that call, and why each earlier one does not.
With --log: for all calls of a run, what share of the time each rule would govern, what would run otherwise
than it did, which rules never fire and why, which calls no rule takes.
With --coverage: for all ranks and blocks, as a table; with --plot as a picture.

The code that decides at run time decides here. What only a run can know is hoped for: that there is memory
for an algorithm's workspace, and that the ranks of a node can share memory.

Examples:
  switchyard explain my.policy.json --collective alltoallv --ranks 512 --ranks-per-node 32 --max-block 64
  switchyard explain my.policy.json --log switchyard-logs
  switchyard explain my.policy.json --coverage --ranks-per-node 32 --plot coverage.svg)";

std::map<std::string, algorithms::Collective> collectives() {
    std::map<std::string, algorithms::Collective> names;
    for (std::size_t i = 0; i < algorithms::collective_count; ++i)
        names.emplace(algorithms::collective_names[i], static_cast<algorithms::Collective>(i));
    return names;
}

void add_call(CLI::App& explain, policy::Features& call) {
    static const std::map<std::string, policy::Buffer> buffers = {{"host", policy::Buffer::host},
                                                                  {"device", policy::Buffer::device}};
    static const std::map<std::string, bool> yes_or_no = {{"yes", true}, {"no", false}};
    explain.add_option("--collective", call.collective, "alltoallv, alltoall or allgather")
        ->transform(CLI::CheckedTransformer(collectives()).description(""))
        ->type_name("NAME");
    explain.add_option("--ranks", call.ranks, "Ranks of the communicator")->check(CLI::PositiveNumber);
    explain
        .add_option("--ranks-per-node", call.ranks_per_node,
                    "The largest number of its ranks on one node (1; with --log: as there)")
        ->check(CLI::PositiveNumber);
    explain.add_option("--nodes", call.nodes, "Nodes that hold ranks of it (ranks / ranks per node)")
        ->check(CLI::PositiveNumber);
    explain.add_option("--max-block", call.max_block_bytes,
                       "Largest block that any rank sends to any other, in bytes");
    explain.add_option("--buffer", call.buffer, "host or device (host)")
        ->type_name("KIND")
        ->transform(CLI::CheckedTransformer(buffers).description(""));
    explain
        .add_option("--gpu-aware", call.gpu_aware,
                    "yes or no: whether the MPI takes device buffers on all ranks (no)")
        ->type_name("ANSWER")
        ->transform(CLI::CheckedTransformer(yes_or_no).description(""));
    explain.add_option("--staging-bytes", call.staging_bytes,
                       "Host memory for staging device buffers, of the rank that takes most (0)");
    explain.add_flag("--in-place", call.in_place, "The call passes MPI_IN_PLACE");
    explain.add_flag("--overlapping", call.overlapping,
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

std::string first_given(const CLI::App& explain, std::initializer_list<const char*> options) {
    for (const char* option : options)
        if (explain.count(option) > 0) return option;
    return "";
}

// Many calls: of a log, or all that can be. Else --collective and --ranks have to say which one.
bool asks_for_many(const CLI::App& explain) {
    const auto many = first_given(explain, {"--log", "--coverage", "--plot"});
    const auto one = first_given(explain, {"--collective", "--ranks", "--nodes", "--max-block", "--buffer",
                                           "--gpu-aware", "--staging-bytes", "--in-place", "--overlapping"});
    if (!many.empty() && !one.empty())
        throw std::runtime_error(one + " is about one call, " + many + " about many: take one of the two");
    if (many.empty())
        for (const char* option : {"--collective", "--ranks"})
            if (explain.count(option) == 0)
                throw std::runtime_error(std::string(option) +
                                         " is missing, or one of --log, --coverage, --plot");
    return !many.empty();
}

} // namespace

void add_explain(CLI::App& app, ExplainArguments& arguments) {
    auto* explain = app.add_subcommand("explain", "Say which rules of a policy take which calls, and why");
    explain->footer(footer);
    explain->add_option("policy", arguments.many.policy, "Policy file")->required();
    add_call(*explain, arguments.call);
    explain
        ->add_option("--log", arguments.many.log, "A run's folder, or a folder of runs: the latest is taken")
        ->type_name("LOG");
    explain->add_flag("--coverage", arguments.many.coverage, "Ranks x blocks, for each collective");
    explain->add_option("--plot", arguments.many.plot, "Write the coverage as a picture, SVG")
        ->type_name("FILE");
}

int run_explain(const CLI::App& explain, ExplainArguments& arguments) {
    if (asks_for_many(explain)) {
        if (explain.count("--ranks-per-node") > 0)
            arguments.many.ranks_per_node = arguments.call.ranks_per_node;
        return explain_many(arguments.many);
    }
    complete(arguments.call, explain);
    return command::explain(arguments.many.policy, arguments.call);
}

} // namespace switchyard::shim::command
