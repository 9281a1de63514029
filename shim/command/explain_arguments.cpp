#include "arguments.hpp"
#include "assumed.hpp"
#include "completion.hpp"

#include "policy/keys.hpp"
#include "policy/synonyms.hpp"
#include "policy/text/lists.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_explain =
    R"(There are three kinds of questions:
  --collective and --ranks: Which rule takes this call? Why does each earlier rule not take it?
  --log: Which share of a run's time would each rule govern? Which calls would run differently than they did?
    Which rules never fire, and why? Which calls does no rule take?
  --coverage: Which rule takes which calls, over ranks and blocks? --plot draws the answer. With --collective or
    --ranks: only for these.

The answers come from the code that decides at run time. Two facts are known only in a run and are assumed here: there
is memory for an algorithm's workspace, and the ranks of a node can share memory. The last line says what else was
assumed.

Examples:
  switchyard explain my.policy.json --collective alltoallv --ranks 512 --ranks-per-node 32 --max-block 64
  switchyard explain my.policy.json --log switchyard-logs
  switchyard explain my.policy.json --coverage --ranks-per-node 32 --plot coverage.svg
  switchyard explain my.policy.json --coverage --collective alltoallv)";

// The option of one key of `when`: what a rule can ask for, a user can give.
void add_key(CLI::App& explain, const policy::Key& key, policy::Features& call) {
    const std::string option(key.option);
    const std::string help =
        std::string(key.help) + (key.words.empty() ? "" : ": " + text::enumerated(key.words, "or"));
    const std::function<void(const std::uint64_t&)> set = [&key, &call](std::uint64_t value) {
        key.set(call, value);
    };
    if (key.kind == policy::Key::Kind::yes_or_no) {
        explain.add_flag_callback(
            option, [set] { set(1); }, help);
        return;
    }
    auto* added = explain.add_option_function<std::uint64_t>(option, set, help);
    if (key.kind == policy::Key::Kind::number) {
        added->check(CLI::Range(key.possible.min, key.possible.max).description(""))->type_name("N");
        return;
    }
    const bool is_collective = &key == &policy::when_keys()[policy::key::collective];
    const auto to_number = [words = key.words, is_collective](std::string& word) {
        const auto found = std::ranges::find(words, word);
        const auto why = is_collective ? policy::why_not_routed(word) : "";
        if (!why.empty()) return why;
        if (found == words.end()) return word + " is not one of " + text::enumerated(words, "or");
        word = std::to_string(found - words.begin());
        return std::string();
    };
    added->transform(CLI::Validator(to_number, ""))->type_name("NAME");
    offer(added, {key.words.begin(), key.words.end()});
}

void add_machine(CLI::App& explain, std::string& machine) {
    auto* option = explain
                       .add_option("--machine", machine,
                                   "Machine file, or polaris or fugaku: from which block on two_phase_bruck "
                                   "is faster than padded_bruck, where one of them runs")
                       ->type_name("FILE");
    offer(option, {"fugaku", "polaris"});
}

void add_call(CLI::App& explain, policy::Features& call) {
    static const std::map<std::string, bool> yes_or_no = {{"yes", true}, {"no", false}};
    for (const policy::Key& key : policy::when_keys()) add_key(explain, key, call);
    auto* gpu_aware =
        explain
            .add_option("--gpu-aware", call.gpu_aware,
                        "Whether the MPI takes device buffers on all ranks: yes or no (default: no)")
            ->type_name("ANSWER")
            ->transform(CLI::CheckedTransformer(yes_or_no).description(""));
    offer(gpu_aware, {"yes", "no"});
    call.ipc = true;
    auto* ipc =
        explain
            .add_option(
                "--ipc", call.ipc,
                "Whether the ranks can copy between the memory of their GPUs: yes or no (default: yes)")
            ->type_name("ANSWER")
            ->transform(CLI::CheckedTransformer(yes_or_no).description(""));
    offer(ipc, {"yes", "no"});
    explain
        .add_option("--staging-bytes", call.staging_bytes,
                    "Host memory for staging device buffers, on the rank that needs most (default: 0)")
        ->type_name("N");
    explain.add_flag("--overlapping", call.overlapping,
                     "Send and receive buffers overlap. MPI forbids it; the algorithm in_place serves it");
}

std::string first_given(const CLI::App& explain, std::initializer_list<const char*> options) {
    for (const char* option : options)
        if (explain.count(option) > 0) return option;
    return "";
}

// True: the question is about many calls, those of a log or all possible ones. False: about one call, which
// --collective and --ranks describe.
bool asks_for_many(const CLI::App& explain) {
    const auto many = first_given(explain, {"--log", "--coverage", "--plot"});
    auto one = first_given(explain, {"--nodes", "--max-block", "--buffer", "--gpu-aware", "--staging-bytes",
                                     "--in-place", "--overlapping", "--machine"});
    // A coverage can be limited to one collective, or to one number of ranks.
    const bool has_coverage = !first_given(explain, {"--coverage", "--plot"}).empty();
    if (one.empty() && !has_coverage) one = first_given(explain, {"--collective", "--ranks"});
    if (!many.empty() && !one.empty())
        throw std::runtime_error(one + " is about one call, " + many + " is about many: take one of the two");
    if (many.empty())
        for (const char* option : {"--collective", "--ranks"})
            if (explain.count(option) == 0)
                throw std::runtime_error(std::string(option) +
                                         " is missing, or one of --log, --coverage, --plot");
    return !many.empty();
}

} // namespace

void add_explain(CLI::App& app, ExplainArguments& arguments) {
    auto* explain = app.add_subcommand("explain", "Print which rule of a policy takes a call, and why");
    explain->footer(footer_of_explain);
    explain->add_option("policy", arguments.many.policy, "Policy file")->required()->type_name("FILE");
    add_call(*explain, arguments.one.call);
    add_machine(*explain, arguments.one.machine);
    explain
        ->add_option("--log", arguments.many.log, "Folder of a run, or a folder of runs (the latest counts)")
        ->type_name("LOG");
    explain->add_flag(
        "--coverage", arguments.many.coverage,
        "Print for each collective, or that of --collective, which rule takes which ranks and blocks");
    explain->add_option("--plot", arguments.many.plot, "Write the coverage as a picture (SVG) to this file")
        ->type_name("FILE");
}

int run_explain(const CLI::App& explain, ExplainArguments& arguments) {
    if (asks_for_many(explain)) {
        ExplainOptions& many = arguments.many;
        const policy::Features& call = arguments.one.call;
        if (explain.count("--ranks-per-node") > 0) many.ranks_per_node = call.ranks_per_node;
        if (explain.count("--network") > 0) many.network = call.network;
        if (explain.count("--ranks") > 0) many.ranks = call.ranks;
        if (explain.count("--collective") > 0) many.collective = call.collective;
        return explain_many(many);
    }
    ExplainedCall& asked = arguments.one;
    for (std::size_t place = 0; place < policy::key::count; ++place)
        asked.given[place] = explain.count(std::string(policy::when_keys()[place].option)) > 0;
    asked.gpu_aware_given = explain.count("--gpu-aware") > 0;
    complete(asked);
    return command::explain(arguments.many.policy, asked);
}

} // namespace switchyard::shim::command
