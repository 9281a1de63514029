#include "report_of.hpp"

#include "check.hpp"
#include "tests/support/log_lines.hpp"

#include "policy/parse.hpp"
#include "shim/report/facts/compare.hpp"
#include "shim/report/files/compare_file.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/files/trace.hpp"
#include "shim/report/page/compare_page.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/text/compare_text.hpp"
#include "shim/report/text/policy_text.hpp"
#include "shim/report/text/report_text.hpp"
#include "shim/tune/from_log.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace switchyard::fuzz {

namespace {

using namespace shim;

template <typename Write>
std::string text_by(const Write& write) {
    std::ostringstream out;
    write(out);
    return out.str();
}

void require_json(const std::string& text) {
    require(nlohmann::json::accept(text), "a JSON output is JSON");
}

// As `switchyard` does: what cannot be done is told in a sentence.
template <typename Work>
void or_sentence(const Work& work) {
    try {
        work();
    } catch (const std::runtime_error& error) {
        require(*error.what() != '\0', "a refusal says why");
    }
}

const policy::Policy& some_policy() {
    static const auto parsed = policy::parse(
        R"({"version":1,"rules":[
            {"name":"small","when":{"collective":"alltoallv","max_block_bytes":{"max":100}},
             "use":{"algorithm":"tuna","radix":4}},
            {"name":"large radix","when":{"collective":"alltoallv","ranks":{"max":100}},
             "use":{"algorithm":"tuna","radix":64}},
            {"name":"little memory","when":{"max_block_bytes":{"min":1000}},
             "use":{"algorithm":"in_place","memory_limit_bytes":4096}},
            {"name":"many","when":{"ranks":{"min":512}},"use":{"algorithm":"pairwise"}}],
            "otherwise":{"algorithm":"native"}})");
    return parsed.value();
}

void check_text(const report::Profile& profile) {
    require_harmless(text_by([&](auto& out) { report::print_text(profile, out); }));
}

void check_files(const report::Profile& profile) {
    require_harmless(text_by([&](auto& out) { report::write_csv(profile, out); }));
    const auto json = text_by([&](auto& out) { report::write_json(profile, out); });
    require_harmless(json);
    require_json(json);
    const auto page = text_by([&](auto& out) { report::write_html(profile, out); });
    require(page.find("</html>") != std::string::npos, "a page has an end");
}

void check_comparison(const report::Profile& profile) {
    const report::PooledFolder folder{"folder", {report::pool_of(profile)}, {}};
    const report::Folders both = {folder, folder};
    require_harmless(text_by([&](auto& out) { report::print_comparison(both, out); }));
    require_harmless(text_by([&](auto& out) { report::write_comparison_csv(both, out); }));
    require_json(text_by([&](auto& out) { report::write_comparison_json(both, out); }));
    const auto page = text_by([&](auto& out) { report::write_comparison_html(both, out); });
    require(page.find("</html>") != std::string::npos, "a page of a comparison has an end");
}

// Reads the log once more, as `switchyard explain --log` does.
void check_policy_on(const log::LoggedRun& run, const report::Profile& profile) {
    report::PolicyOnLog asked(some_policy());
    report::for_each_call(
        run, [&](const report::Call& call) { asked.add(call); }, [] {});
    report::Call call;
    for (const auto& line : tests::lines_of(run))
        if (report::parse_call(line, call))
            require(call.kind.parameters.size() <= 4 * line.size(), "a line becomes no longer text");
    require_harmless(
        text_by([&](auto& out) { report::print_policy_on_log(some_policy(), asked, profile, out); }));
}

void check_points_of(const report::Profile& profile) {
    std::ostringstream notes;
    or_sentence([&] { tune::points_of_log(profile, {policy::Collective::alltoallv, 64, 4, 16}, notes); });
    require_harmless(notes.str());
}

} // namespace

void check_report_of(const std::string& folder) {
    or_sentence([&] {
        const auto run = log::open_run(folder);
        const auto profile = report::read_profile(run);
        check_text(profile);
        check_files(profile);
        check_comparison(profile);
        check_policy_on(run, profile);
        check_points_of(profile);
        or_sentence([&] { require_json(text_by([&](auto& out) { report::write_trace(run, out); })); });
    });
}

void check_text_of(const std::string& folder) {
    or_sentence([&] { check_text(report::read_profile(log::open_run(folder))); });
}

} // namespace switchyard::fuzz
