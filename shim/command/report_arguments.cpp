#include "arguments.hpp"
#include "completion.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_report =
    R"(LOG is the folder of a run, or a folder of runs: then the latest run counts. With OTHER, two logs are compared: A is
LOG, B is OTHER, each with all runs of its folder. Alternate the runs of A and B, five of each.

Calls with the same collective, communicator, algorithm, buffers and size of block are a group:
  total     time that the average rank spent in these calls, waiting for late ranks included
  share     total, as a part of the run's wall time
  median    of the times of the calls; the time of a call is the mean over its ranks
  p95       95 of 100 calls take no longer
  max/mean  time of the slowest rank over the mean of all ranks; 1: all ranks take the same time
  sent      bytes that the program has its ranks send to other ranks, all ranks together
  by        who chose the algorithm: a letter of the list "Who chose the algorithm"

All other figures, and the keys of CSV and JSON: share/doc/switchyard/shim/report/README.md

Examples:
  switchyard report switchyard-logs
  switchyard report switchyard-logs/app.20261121-101522.24013 --html report.html --trace trace.json
  switchyard report native-logs tuned-logs
  switchyard report native-logs tuned-logs --html compared.html
  switchyard report native-logs tuned-logs --format csv)";

} // namespace

void add_format(CLI::App& app, Format& format) {
    static const std::map<std::string, Format> formats = {
        {"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
    auto* option = app.add_option_function<std::string>(
        "--format", [&format](const std::string& name) { format = formats.at(name); },
        "text, csv or json (default: text)");
    offer(option->check(CLI::IsMember(formats).description(""))->type_name("FORMAT"),
          {"text", "csv", "json"});
}

void add_report(CLI::App& app, ReportOptions& options) {
    auto* report = app.add_subcommand("report", "Print where the time of a run's collectives went");
    report->footer(footer_of_report);
    report
        ->add_option("LOG", options.log,
                     "Folder of a run, or a folder of runs (without OTHER the latest counts)")
        ->required()
        ->type_name("LOG");
    report->add_option("OTHER", options.other, "Another log, or folder of runs, to compare with LOG")
        ->type_name("LOG");
    add_format(*report, options.format);
    report
        ->add_option(
            "--html", options.html,
            "Also write a page with plots to this file, of a log or of a comparison; it needs no network")
        ->type_name("FILE");
    report
        ->add_option("--trace", options.trace,
                     "Also write a trace of one log for Perfetto or chrome://tracing to this file")
        ->type_name("FILE");
}

} // namespace switchyard::shim::command
