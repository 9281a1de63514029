#include "doctor.hpp"

#include "policy/text/lists.hpp"
#include "policy/text/printable.hpp"
#include "shim/bench/statistics.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/text/text_table.hpp"
#include "shim/tune/doctor_limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace switchyard::shim::command {

namespace {

using Json = nlohmann::ordered_json;
namespace limits = tune::doctor_limits;

bool is_slow(const std::vector<tune::Finding>& findings, const tune::Shape& shape, std::size_t block) {
    return std::ranges::any_of(findings, [&](const tune::Finding& finding) {
        return finding.shape == shape && std::ranges::find(finding.blocks, block) != finding.blocks.end();
    });
}

// ---- Text ----

struct TimesOfCommunicator {
    std::vector<const tune::Series*> columns;
    std::set<std::size_t> blocks;
};

std::vector<TimesOfCommunicator> by_communicator(const tune::Survey& survey) {
    std::vector<TimesOfCommunicator> found;
    for (const tune::Series& series : survey.series) {
        if (found.empty() || found.back().columns.front()->communicator != series.communicator)
            found.emplace_back();
        found.back().columns.push_back(&series);
        for (const auto& step : series.steps) found.back().blocks.insert(step.block);
    }
    return found;
}

std::string cell_of(const tune::Series& series, std::size_t block,
                    const std::vector<tune::Finding>& findings) {
    const auto step = std::ranges::find(series.steps, block, &tune::SurveyStep::block);
    if (step == series.steps.end()) return "-";
    return formatted("{:.1f}{}", bench::median(step->native_us),
                     is_slow(findings, series.shape, block) ? "*" : " ");
}

void print_times(const TimesOfCommunicator& times, const std::vector<tune::Finding>& findings,
                 std::ostream& out) {
    const tune::Shape& shape = times.columns.front()->shape;
    out << formatted("\n{}: {} ranks on {}, native's time of a call in us\n",
                     times.columns.front()->communicator, shape.ranks,
                     text::plural(static_cast<std::uint64_t>(shape.nodes), "node"));
    std::vector<report::TextTable::Column> columns = {{"block"}};
    for (const tune::Series* series : times.columns)
        columns.push_back({std::string(algorithms::name_of(series->shape.collective)) + " "});
    report::TextTable table(std::move(columns));
    for (const std::size_t block : times.blocks) {
        std::vector<std::string> row = {std::to_string(block)};
        for (const tune::Series* series : times.columns) row.push_back(cell_of(*series, block, findings));
        table.row(std::move(row));
    }
    table.print(out);
}

std::string text_of_remedy(const tune::Remedy& remedy) {
    switch (remedy.end) {
    case tune::Remedy::End::rule:
        return formatted("a rule avoids it: {}, {:.2f} of native's time under switchyard ({} -> {})",
                         remedy.ruling.candidate.words(), remedy.ratio, time_text(remedy.native_us),
                         time_text(remedy.rule_us));
    case tune::Remedy::End::nothing_faster: return "no algorithm was faster at all of these sizes";
    case tune::Remedy::End::no_time: return "no time was left to look for a rule: give a larger --budget";
    }
    return "";
}

void print_finding(const tune::Finding& finding, const tune::Remedy& remedy, std::ostream& out) {
    out << '\n' << finding.text() << " (" << finding.communicator << ")\n";
    for (const tune::Reason& reason : finding.reasons) out << "  " << text_of(reason) << '\n';
    out << "  " << text_of_remedy(remedy) << '\n';
}

void print_text(const tune::Survey& survey, const std::vector<tune::Finding>& findings,
                const tune::Remedies& remedies, std::ostream& out) {
    out << formatted("{}, {} ranks on {}, {} repetitions in {:.0f} s\n",
                     text::printable(survey.place.mpi, 80), survey.place.ranks,
                     text::plural(static_cast<std::uint64_t>(survey.place.nodes), "node"),
                     limits::repetitions, survey.seconds);
    for (const auto& times : by_communicator(survey)) print_times(times, findings, out);
    if (findings.empty()) {
        out << "\nno cliff, and no guideline broken\n";
        return;
    }
    out << formatted("\n* {}, the worst first:\n", text::plural(findings.size(), "finding"));
    for (std::size_t i = 0; i < findings.size(); ++i) print_finding(findings[i], remedies.by_finding[i], out);
    if (!remedies.policy.empty()) out << "\nthe policy:\n" << remedies.policy;
}

// ---- JSON and CSV ----

Json json_of(const tune::Shape& shape, const std::string& communicator) {
    return {{"collective", algorithms::name_of(shape.collective)},
            {"communicator", communicator},
            {"ranks", shape.ranks},
            {"nodes", shape.nodes},
            {"ranks_per_node", shape.ranks_per_node}};
}

Json json_of(const tune::Series& series) {
    Json json = json_of(series.shape, series.communicator);
    json["steps"] = Json::array();
    for (const tune::SurveyStep& step : series.steps)
        json["steps"].push_back({{"block_bytes", step.block},
                                 {"native_us", step.native_us},
                                 {"fastest_us", step.fastest_us},
                                 {"native_over", step.over}});
    return json;
}

Json json_of(const tune::Reason& reason) {
    return {{"kind", reason.guideline == nullptr ? "cliff" : "guideline"},
            {"block_bytes", reason.block},
            {"native_us", reason.us},
            {"other_us", reason.other_us},
            {"times", reason.times()},
            {"beside", reason.beside}};
}

Json json_of(const tune::Finding& finding, const tune::Remedy& remedy) {
    Json json = json_of(finding.shape, finding.communicator);
    json["block_bytes"] = finding.blocks;
    json["reasons"] = Json::array();
    for (const tune::Reason& reason : finding.reasons) json["reasons"].push_back(json_of(reason));
    const bool has_rule = remedy.end == tune::Remedy::End::rule;
    json["remedy"] = has_rule                                          ? "rule"
                     : remedy.end == tune::Remedy::End::nothing_faster ? "nothing_faster"
                                                                       : "no_time";
    json["ratio"] = nullptr;
    if (has_rule) json["ratio"] = remedy.ratio;
    return json;
}

void print_json(const tune::Survey& survey, const std::vector<tune::Finding>& findings,
                const tune::Remedies& remedies, std::ostream& out) {
    Json json = {{"mpi", survey.place.mpi},
                 {"ranks", survey.place.ranks},
                 {"nodes", survey.place.nodes},
                 {"hosts", survey.place.hosts},
                 {"repetitions", limits::repetitions},
                 {"limits",
                  {{"cliff", limits::cliff},
                   {"guideline", limits::guideline},
                   {"generality", limits::generality},
                   {"least_us", limits::least_us}}},
                 {"series", Json::array()},
                 {"findings", Json::array()},
                 {"policy", nullptr}};
    for (const tune::Series& series : survey.series) json["series"].push_back(json_of(series));
    for (std::size_t i = 0; i < findings.size(); ++i)
        json["findings"].push_back(json_of(findings[i], remedies.by_finding[i]));
    if (!remedies.policy.empty()) json["policy"] = Json::parse(remedies.policy);
    out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_csv(const tune::Survey& survey, const std::vector<tune::Finding>& findings, std::ostream& out) {
    out << "collective,communicator,ranks,nodes,ranks_per_node,block_bytes,native_us,is_slow\n";
    for (const tune::Series& series : survey.series)
        for (const tune::SurveyStep& step : series.steps)
            out << formatted("{},{},{},{},{},{},{:.3f},{}\n", algorithms::name_of(series.shape.collective),
                             series.communicator, series.shape.ranks, series.shape.nodes,
                             series.shape.ranks_per_node, step.block, bench::median(step.native_us),
                             is_slow(findings, series.shape, step.block) ? 1 : 0);
}

} // namespace

void print_diagnosis(const tune::Survey& survey, const std::vector<tune::Finding>& findings,
                     const tune::Remedies& remedies, Format format, std::ostream& out) {
    switch (format) {
    case Format::text: return print_text(survey, findings, remedies, out);
    case Format::json: return print_json(survey, findings, remedies, out);
    case Format::csv: return print_csv(survey, findings, out);
    }
}

} // namespace switchyard::shim::command
