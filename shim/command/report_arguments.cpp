#include "arguments.hpp"

#include <map>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer =
    R"(LOG is the run's folder, or a folder of runs, of which the latest is taken. Two logs are compared, call
group by call group: same collective, ranks and blocks. A call group is what a person would call the same:
collective, algorithm with parameters, who chose it, communicator (ranks, nodes, ranks per node), kind of
buffer, and block: the largest block of a call, up to a power of two. Logs of killed runs are read as far as
they go, and labelled PARTIAL.

What the figures mean:
  total     time that the average rank of the run spent in these calls, waiting for late ranks included
  share     that time as part of the run's wall time
  median    over the calls, of a call's mean over its ranks; p95: 95 of 100 calls take no longer
  max/mean  time of the slowest rank over the mean of all; 1: all ranks take the same time
  sent      bytes that the program asked its ranks to send to others, all ranks together
  by        who chose the algorithm: the number in the list below the tables

CSV has a line per group, JSON "run", "totals" and "groups". Of a group:
  collective, ranks, nodes, ranks_per_node, buffer, transfer, in_place
  block_up_to_bytes                  the power of two
  smallest_, largest_max_block_bytes what occurred of it
  algorithm, parameters, rule, reason, calls
  total_us, wall_share, median_us, median_deviation_us (median absolute deviation), p95_us, max_over_mean
  sent_bytes
  agree_us, stage_us (packing), copy_us (to and from devices), exchange_us: parts of total_us
Of a comparison: calls, median_us, total_us and algorithms, each ending in _a and _b; median_ratio and
mean_ratio, b over a, null where one log has no such calls; in: a, b or both.

A trace has a track for each communicator and, of a run with SWITCHYARD_DETAIL=ranks, one for each rank.

Examples:
  switchyard report switchyard-logs
  switchyard report switchyard-logs/app.20261121-101522.24013 --html report.html --trace trace.json
  switchyard report native-log tuned-log --format csv)";

} // namespace

void add_report(CLI::App& app, ReportOptions& options) {
    static const std::map<std::string, ReportFormat> formats = {
        {"text", ReportFormat::text}, {"csv", ReportFormat::csv}, {"json", ReportFormat::json}};
    auto* report =
        app.add_subcommand("report", "Say where the time of a run's collectives went, from its log");
    report->footer(footer);
    report->add_option("LOG", options.log, "A run's folder, or a folder of runs")->required();
    report->add_option("OTHER", options.other, "Another one to compare with");
    report
        ->add_option_function<std::string>(
            "--format", [&options](const std::string& name) { options.format = formats.at(name); },
            "text (the default), csv or json")
        ->check(CLI::IsMember(formats).description(""))
        ->type_name("FORMAT");
    report->add_option("--html", options.html, "Also write a page with plots, one file that needs no network")
        ->type_name("FILE");
    report->add_option("--trace", options.trace, "Also write a trace for Perfetto or chrome://tracing")
        ->type_name("FILE");
}

} // namespace switchyard::shim::command
