// `switchyard report`.

#include "commands.hpp"

#include "shim/common/whole_file.hpp"
#include "shim/report/facts/compare.hpp"
#include "shim/report/files/compare_file.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/files/trace.hpp"
#include "shim/report/page/compare_page.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/text/compare_text.hpp"
#include "shim/report/text/report_text.hpp"

#include <functional>
#include <iostream>

namespace switchyard::shim::command {

namespace {

void write(const std::string& path, const std::function<void(std::ostream&)>& content) {
    WholeFile file(path);
    content(file.stream());
    file.keep();
}

int compare(const ReportOptions& options) {
    if (!options.trace.empty())
        throw std::runtime_error(
            "--trace takes one log: two runs have no common time. Write a trace of each");
    const report::Folders folders = {report::pool_runs(options.log), report::pool_runs(options.other)};
    if (!options.html.empty())
        write(options.html, [&](std::ostream& out) { report::write_comparison_html(folders, out); });
    switch (options.format) {
    case Format::text: report::print_comparison(folders, std::cout); break;
    case Format::csv: report::write_comparison_csv(folders, std::cout); break;
    case Format::json: report::write_comparison_json(folders, std::cout); break;
    }
    return 0;
}

void print(const report::Profile& profile, Format format) {
    switch (format) {
    case Format::text: report::print_text(profile, std::cout); break;
    case Format::csv: report::write_csv(profile, std::cout); break;
    case Format::json: report::write_json(profile, std::cout); break;
    }
}

} // namespace

int report(const ReportOptions& options) {
    if (!options.other.empty()) return compare(options);
    const auto run = report::find_run_saying(options.log, std::cerr);
    const auto profile = report::read_profile(run);
    if (!options.html.empty())
        write(options.html, [&](std::ostream& out) { report::write_html(profile, out); });
    if (!options.trace.empty())
        write(options.trace, [&](std::ostream& out) { report::write_trace(run, out); });
    print(profile, options.format);
    return 0;
}

} // namespace switchyard::shim::command
