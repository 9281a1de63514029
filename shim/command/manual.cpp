#include "manual.hpp"

#include "algorithms/collective.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/settings.hpp"
#include "version.hpp"

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <string_view>

namespace switchyard::shim::command {

namespace {

// A line of text that roff prints as it is: without escapes and requests, and with minus signs for hyphens.
std::string literal(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if (result.empty() && (c == '.' || c == '\''))
            result += std::string("\\&") + c;
        else
            result += c;
    }
    return result;
}

// The same for several lines.
std::string literal_lines(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += literal(line) + '\n';
    return result;
}

void write_entry(std::ostream& out, const std::string& head, std::string_view text) {
    out << ".TP\n" << head << '\n' << literal(text) << '\n';
}

void write_settings(std::ostream& out) {
    out << ".SH ENVIRONMENT\n";
    for (const auto& setting : setting_table()) {
        std::string text(setting.meaning);
        if (!setting.preset.empty()) text += " (" + std::string(setting.preset) + ")";
        write_entry(out, "\\fB" + literal(setting.variable) + "\\fR", text);
    }
}

} // namespace

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

void write_manual(const CLI::App& app, std::ostream& out) {
    out << ".TH SWITCHYARD 1 \"\" \"switchyard " << version << "\" \"User Commands\"\n"
        << ".SH NAME\nswitchyard \\- " << literal(app.get_description()) << '\n'
        << ".SH SYNOPSIS\n.B switchyard\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
        << ".SH DESCRIPTION\n"
        << "switchyard stands in front of an MPI program, which needs no change. It catches the calls of "
        << text::enumerated(algorithms::function_names)
        << ". A policy file names the algorithm for each call, or leaves the call to the MPI library. A log "
           "says which algorithm served each call, why, and how long the call took.\n.PP\n"
        << ".EX\nmpirun \\-n 8 switchyard run \\-\\-policy my.policy.json \\-\\- ./app args\n.EE\n"
        << ".SH COMMANDS\n";
    for (const auto* sub : subcommands_of(app))
        out << ".SS " << literal(sub->get_name()) << "\n.nf\n" << literal_lines(sub->help()) << ".fi\n";
    write_settings(out);
    out << ".SH FILES\n";
    write_entry(out, "\\fIPREFIX/share/switchyard/default.policy.json\\fR", "the default policy");
    write_entry(out, "\\fIPREFIX/share/switchyard/switchyard\\-policy.schema.json\\fR",
                "the JSON Schema of policies, for editors");
    write_entry(out, "\\fIPREFIX/share/switchyard/examples/\\fR", "example policies");
    write_entry(out, "\\fIswitchyard\\-logs/PROGRAM.TIME.PID/\\fR",
                "the log of a run: run.json, and calls.jsonl with one line for each call");
    out << ".SH EXIT STATUS\n0: success. 1: an error, which stderr explains. "
           "\\fBrun\\fR has the exit status of the program.\n.SH SEE ALSO\n.BR mpirun (1)\n";
}

} // namespace switchyard::shim::command
