// Who ran the native calls: what a report says of it.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/native_calls.hpp"
#include "shim/report/files/report_file.hpp"

#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::profile_of;
using switchyard::tests::report_page;
using switchyard::tests::text_of;
using switchyard::tests::written;

namespace {

Profile with_native(const std::string& native, const LogLine& line = {}) {
    LogFolder folder;
    folder.line(line);
    folder.run_json(R"({"switchyard":"1.0.0","complete":true,"program":"app","ranks":4,"wall_s":1)" +
                    (native.empty() ? "" : R"(,"native":)" + native) + "}");
    return profile_of(folder);
}

} // namespace

TEST_CASE("a report says who ran the native calls", "[native]") {
    const auto profile = with_native(
        R"({"components":[{"name":"self","priority":75},{"name":"tuned","priority":30},)"
        R"({"name":"basic","priority":10},{"name":"libnbc","priority":10},{"name":"han","priority":-1}],)"
        R"("settings":[{"name":"coll_tuned_alltoallv_algorithm","value":"pairwise","from":"environment",)"
        R"("no_effect":"coll_tuned_use_dynamic_rules is false"}],)"
        R"("forced":{"alltoall":"bruck"},"libraries":["libhcoll.so.1"]})");
    CHECK(native_sentences(profile) ==
          std::vector<std::string>{
              "Open MPI takes each collective from the first component that has it: tuned (priority 30), "
              "basic and libnbc (10)",
              "For special cases only: self (75; one rank alone)",
              "Loaded, and may run collectives for the MPI: libhcoll.so.1",
              "Somebody forced alltoall to bruck",
              "Somebody set coll_tuned_alltoallv_algorithm to pairwise (environment), without effect: "
              "coll_tuned_use_dynamic_rules is false"});
    CHECK(has(text_of(profile), native_title));
    CHECK(has(text_of(profile), "tuned (priority 30)"));
    CHECK(has(report_page(profile), "Somebody forced alltoall to bruck."));
    const auto native = json::parse(written(write_json, profile))["run"]["native"];
    CHECK(native["components"][1] == json{{"name", "tuned"}, {"priority", 30}});
    CHECK(native["forced"] == json{{"alltoall", "bruck"}});
}

TEST_CASE("a report says that nobody set anything, and shows what others wrote harmlessly", "[native]") {
    const auto untouched = with_native("{}");
    CHECK(native_sentences(untouched) ==
          std::vector<std::string>{"Nobody set anything about the MPI's collectives"});
    const auto nasty = with_native(R"({"components":[{"name":"<b>\u001b[1m","priority":1}],)"
                                   R"("settings":[{"name":"A","value":"<script>\n","from":"x"}]})");
    CHECK_FALSE(has(text_of(nasty), "\x1b"));
    CHECK(has(text_of(nasty), "Somebody set A to <script>"));
    CHECK_FALSE(has(report_page(nasty), "<b>\x1b"));
    CHECK(has(report_page(nasty), "to &lt;script&gt;"));
}

TEST_CASE("a report names ten settings, and counts the others", "[native]") {
    std::string settings;
    for (int i = 0; i < 13; ++i)
        settings +=
            (i > 0 ? "," : "") + (R"({"name":"MPICH_COLL_)" + std::to_string(i) + R"(","value":"1"})");
    const auto sentences = native_sentences(with_native(R"({"settings":[)" + settings + "]}"));
    CHECK(sentences.size() == 11);
    CHECK(has(sentences.back(), "3 settings more"));
}

TEST_CASE("a report says nothing of native calls where there are none, or where an old log does not know",
          "[native]") {
    CHECK(native_sentences(with_native("")).empty());
    CHECK(json::parse(written(write_json, with_native("")))["run"]["native"].is_null());
    CHECK_FALSE(has(text_of(with_native("")), native_title));
    CHECK(native_sentences(with_native("{}", LogLine{.algorithm = "tuna"})).empty());
    CHECK(json::parse(written(write_json, with_native("{}", LogLine{.algorithm = "tuna"})))["run"]["native"]
              .is_object());
}

TEST_CASE("a report of a run that ended in its first call says who may have run the call", "[native]") {
    LogFolder folder;
    folder.run_json(R"({"switchyard":"1.0.0","complete":false,"program":"app","ranks":4,)"
                    R"("native":{"libraries":["libhcoll.so.1"]}})");
    const auto profile = profile_of(folder);
    CHECK(profile.calls == 0);
    CHECK(has(text_of(profile), "may run collectives for the MPI: libhcoll.so.1"));
    CHECK(has(report_page(profile), "libhcoll.so.1"));
}
