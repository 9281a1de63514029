#include "arguments.hpp"
#include "commit.hpp"
#include "completion.hpp"
#include "manual.hpp"

#include "policy/parse.hpp"
#include "policy/text/printable.hpp"
#include "version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace {

using namespace switchyard;
using namespace switchyard::shim;

// `, did you mean "--log"?`
std::string name_meant(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    if (word.starts_with("--"))
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    else
        for (const auto* subcommand : app.get_subcommands([](const auto*) { return true; }))
            names.push_back(subcommand->get_name());
    return policy::did_you_mean(word, {names.begin(), names.end()});
}

// The words that the command does not know, less the `--` before a program. They are the likely reason why
// another word is missing.
std::string words_not_known(const CLI::App& app) {
    std::string words;
    for (const auto& word : app.remaining())
        if (word != "--") words += (words.empty() ? "not known: " : ", ") + word + name_meant(app, word);
    return words;
}

std::string sentence_of(const CLI::App& app, const CLI::Error& error) {
    const std::string words = words_not_known(app);
    if (words.empty()) return error.what();
    return error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)
               ? words
               : error.what() + ("; " + words);
}

// `switchyard explain: policy is required`, and where to read on: the whole help would push the sentence off
// the screen. Without a subcommand the help follows.
std::string words_of_error(const CLI::App* app, const CLI::Error& error) {
    std::string name = "switchyard";
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        name += ' ' + app->get_name();
    }
    const std::string what = name + ": " + sentence_of(*app, error) + '\n';
    return what + (app->get_parent() ? "Options and examples: " + name + " --help\n" : '\n' + app->help());
}

std::string version_text() {
    return std::string("switchyard ") + switchyard::version + " (commit " + command::commit + ')';
}

int main_guarded(int argc, char** argv) {
    CLI::App app{"route the all-to-all collectives of MPI programs by a policy", "switchyard"};
    app.set_version_flag("--version", version_text());
    app.require_subcommand(1);
    app.failure_message(words_of_error);

    command::RunArguments run;
    add_run(app, run);
    std::string policy;
    auto* check = app.add_subcommand("check", "Check a policy and print every problem in it");
    check->add_option("policy", policy, "Policy file")->required()->type_name("FILE");
    command::ExplainArguments explain;
    add_explain(app, explain);
    bool json = false, markdown = false;
    auto* algorithms =
        app.add_subcommand("algorithms", "List every algorithm with its parameters and its source");
    algorithms->add_flag("--json", json, "As JSON");
    algorithms->add_flag("--markdown", markdown, "As a Markdown table")->excludes("--json");
    command::TuneOptions tune;
    add_tune(app, tune);
    command::ProveOptions prove;
    add_prove(app, prove);
    command::DoctorOptions doctor;
    add_doctor(app, doctor);
    command::PredictOptions predict;
    add_predict(app, predict);
    command::ReportOptions report;
    add_report(app, report);
    auto* config =
        app.add_subcommand("config", "Print every setting with its value and where the value is from");
    // For the build: it installs what these two print.
    auto* manual = app.add_subcommand("manual", "Print this command's manual page")->group("");
    auto* completion =
        app.add_subcommand("completion", "Print this command's completion for bash")->group("");

    // CLI11 gets only the first word of a program: it would make two words of `[1,2]`.
    const auto program = static_cast<int>(command::program_in({argv, static_cast<std::size_t>(argc)}));
    CLI11_PARSE(app, std::min(argc, program + 1), argv);
    if (*manual) return command::write_manual(app, std::cout), 0;
    if (*completion) return command::write_completion(app, std::cout), 0;
    if (*check) return command::check(policy);
    if (*algorithms)
        return command::list_algorithms(json       ? command::ListFormat::json
                                        : markdown ? command::ListFormat::markdown
                                                   : command::ListFormat::text);
    if (*app.get_subcommand("report")) return command::report(report);
    if (*config) return command::config();
    if (*app.get_subcommand("tune")) return command::tune(tune);
    if (*app.get_subcommand("prove")) return command::prove(prove);
    if (*app.get_subcommand("doctor")) return command::doctor(doctor);
    if (*app.get_subcommand("predict")) return command::predict(predict);
    if (auto* given = app.get_subcommand("explain"); *given) return run_explain(*given, explain);
    run.program.assign(argv + program, argv + argc);
    return command::run(run);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return main_guarded(argc, argv);
    } catch (const std::exception& error) {
        const std::string_view what = error.what(); // names files, whose names may be anything
        std::cerr << "switchyard: " << text::printable(what, what.size()) << '\n';
        return 1;
    }
}
