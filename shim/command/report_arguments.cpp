#include "arguments.hpp"
#include "completion.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace switchyard::shim::command {

namespace {

constexpr const char* footer_of_report =
    R"(LOG is the folder of a run, or a folder of runs: then the latest run counts. The log of a killed run is read as far
as it goes, and marked PARTIAL.

With OTHER, two logs are compared: A is LOG, B is OTHER. All runs of a folder are pooled. The comparison begins with
the wall time and the time in collectives: medians with their median absolute deviation (MAD), and the ratio of B to A
in pairs of runs: the first run of A with the first run of B, and so on, by the order of their start. It ends with the
answer: is B faster, by how much, and is the difference significant (two-sided sign test of the pairs, p <= 0.1, which
takes at least 5 pairs)? Alternate the runs of A and B. Runs of different programs, or with different numbers of
ranks, are compared separately. Killed runs are left out if other runs finished.

Calls are reported in groups. The calls of a group have the same collective, algorithm and parameters, the same
reason for them, the same communicator (ranks, nodes, ranks per node), the same kind of buffer, and the same
block: the largest block of a call, rounded up to a power of two. Two logs are compared by collective, ranks and
block.

What the figures mean:
  total     time that the average rank spent in these calls, waiting for late ranks included
  share     total, as a part of the run's wall time
  median    of the times of the calls; the time of a call is the mean over its ranks
  p95       95 of 100 calls take no longer
  max/mean  time of the slowest rank over the mean of all ranks; 1: all ranks take the same time
  sent      bytes that the program has its ranks send to other ranks, all ranks together
  by        who chose the algorithm: a letter of the list "Who chose the algorithm"

Slow first calls have a sentence of their own: calls at the beginning of a group that each took more than three times
the group's median. It says how many they are, how long they took, and what they cost beyond usual calls. It appears
if they cost 1 % of the time in collectives and 0.1 % of the wall time. The first 64 calls on each of a group's first
16 communicators are looked at. If these are half of the group or more, the usual time is unknown, and there is no
sentence.

Where the program called collectives that no policy changes, the report begins with the time in all collectives, and has
their sums under "Counted, not routed". Calls and sent are of all ranks there; nonblocking calls count without MPI_Wait.

If calls were native, the report says who ran them, as far as it can be known: Open MPI's components by priority, what somebody
set about collectives of the MPI, and other libraries that run collectives.

CSV has one line for each group, then one for each collective that is only counted. JSON has "run", "totals", "groups"
and "seen" (collective, calls, total_us, most_us: of the rank with the most, wall_share, sent_bytes). The keys of a group:
  collective, ranks, nodes, ranks_per_node, buffer, transfer, in_place
  block_up_to_bytes: the power of two
  smallest_max_block_bytes, largest_max_block_bytes: the range of the largest blocks of its calls
  algorithm, parameters, rule, reason, calls
  total_us, wall_share, median_us, median_deviation_us (median absolute deviation), p95_us, max_over_mean
  sent_bytes, most_sent_bytes: the most that a rank sent in a call, near_int_limit_calls: calls with a count or
  displacement near 2^31
  to_itself_share (of a rank's bytes), empty_share (of the blocks for others), partners (others that get bytes, mean),
  most_partners: of the calls that were looked at; block_skew: largest block over mean; messages_in_flight: for each
  time that the algorithm waits
  agree_us, stage_us (packing), copy_us (to and from devices), exchange_us: parts of total_us
  slow_first_calls: how many (0: none), slow_first_call_least_us and _most_us: times of one of them,
  slow_first_calls_cost_us: what they cost the average rank beyond usual calls, slow_first_calls_waiting_us: the part
  of it spent waiting for late ranks
  cliff_times: how many times as long as calls that move at least as much (empty: no cliff), cliff_faster_us: the time
  of such a call, cliff_cost_us: what the group costs the average rank beyond such calls
The keys of a comparison's groups: calls, median_us, total_us and algorithms, each with _a and with _b, over all runs;
median_ratio and mean_ratio, b over a, null where one log has no such calls; in: a, b or both; program; runs_a and
runs_b. Its JSON also has "a" and "b" with medians of the runs, and "comparisons", one for each program and number of
ranks: wall, collectives and agreeing with medians, deviations and pairs; agreement_a and agreement_b; answer.

A trace has a track for each communicator. With SWITCHYARD_DETAIL=ranks it also has a track for each rank. Each call
shows its agreement, packing and copies.

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
