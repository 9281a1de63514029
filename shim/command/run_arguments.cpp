#include "arguments.hpp"
#include "completion.hpp"

#include "algorithms/traits.hpp"

#include <CLI/CLI.hpp>

namespace switchyard::shim::command {

namespace {

// `alltoallv:tuna`
std::vector<std::string> forcible() {
    std::vector<std::string> words;
    for (const auto& traits : algorithms::all_traits())
        words.push_back(std::string(name_of(traits.collective)) + ':' + std::string(traits.name));
    return words;
}

std::vector<std::string> words_for(Setting setting) {
    if (setting == Setting::log) return {"off"};
    if (setting == Setting::force) return forcible();
    if (setting == Setting::detail) return {detail_names.begin(), detail_names.end()};
    return {};
}

} // namespace

void add_run(CLI::App& app, RunArguments& arguments) {
    auto* run = app.add_subcommand(
        "run", "Run a program with switchyard in front of it: mpirun -n 8 switchyard run -- ./app");
    auto* value = arguments.values.begin();
    for (const auto& option : run_options)
        offer(run->add_option(std::string(option.name), *value++, option.meaning)->type_name(option.type),
              words_for(option.setting));
    run->add_option("program", arguments.program, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
    run->positionals_at_end();
}

} // namespace switchyard::shim::command
