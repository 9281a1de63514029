// Calls whose bytes come near 2 GiB: what a report says of them, and of which it says nothing.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/near_two_gib.hpp"
#include "shim/report/files/report_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::report_page;
using switchyard::tests::text_of;
using switchyard::tests::written;

namespace {

constexpr long gib = 1L << 30;

Profile of_lines(const std::vector<LogLine>& lines, bool ends = true) {
    LogFolder folder;
    for (const auto& line : lines) folder.line(line);
    if (ends) folder.finish(4, 10);
    return read_profile(log::open_run(folder.path()));
}

} // namespace

TEST_CASE("a report names calls in which a rank sends half of 2 GiB or more", "[near-two-gib]") {
    const auto profile = of_lines({{.block = gib / 2, .most_sent = gib + gib / 2},
                                   {.collective = "allgather", .block = 64, .most_sent = gib - 1},
                                   {.collective = "alltoall", .block = gib, .most_sent = 3 * gib}});
    CHECK(
        near_two_gib_sentences(profile) ==
        std::vector<std::string>{
            "alltoall, 4 ranks, up to 1 GiB, native: a rank sends up to 3 GiB in a call, more bytes than 32 "
            "bits "
            "count",
            "alltoallv, 4 ranks, up to 512 MiB, native: a rank sends up to 1.5 GiB in a call, 75% of 2 GiB"});
    CHECK(has(text_of(profile), near_two_gib_title));
    CHECK(has(report_page(profile), "75% of 2 GiB"));
    const auto groups = nlohmann::json::parse(written(write_json, profile))["groups"];
    double most = 0;
    for (const auto& group : groups) most = std::max(most, group["most_sent_bytes"].get<double>());
    CHECK(most == 3.0 * gib);
}

TEST_CASE("the largest call of a group counts, and its mean in a summary", "[near-two-gib]") {
    CHECK(near_two_gib_sentences(of_lines({{.most_sent = gib}, {.most_sent = 8}})).size() == 1);
    CHECK(near_two_gib_sentences(of_lines({{.calls = 4, .most_sent = 4 * gib}})).size() == 1);
    CHECK(near_two_gib_sentences(of_lines({{.calls = 4, .most_sent = 4 * gib - 4}})).empty());
}

TEST_CASE("small calls get no word about 2 GiB", "[near-two-gib]") {
    CHECK_FALSE(has(text_of(of_lines({{}})), near_two_gib_title));
}

TEST_CASE("a report names calls with counts near 2^31, however few bytes they send", "[near-two-gib]") {
    const auto profile =
        of_lines({{.more = R"("near_int_limit":true,)"},
                  {.collective = "alltoall", .calls = 5, .more = R"("near_int_limit":true,)"},
                  {.collective = "allgather"}});
    CHECK(near_two_gib_sentences(profile) ==
          std::vector<std::string>{
              "alltoallv, 4 ranks, up to 64 B, native: numbers in the arguments of 1 call are "
              "2^30 or more, or negative",
              "alltoall, 4 ranks, up to 64 B, native: numbers in the arguments of 5 calls are "
              "2^30 or more, or negative"});
    const auto groups = nlohmann::json::parse(written(write_json, profile))["groups"];
    std::vector<int> calls;
    for (const auto& group : groups) calls.push_back(group["near_int_limit_calls"]);
    std::ranges::sort(calls);
    CHECK(calls == std::vector<int>{0, 1, 5});
}

TEST_CASE("a report repeats what a rank said before the program crashed", "[near-two-gib]") {
    for (const bool has_calls : {true, false}) {
        LogFolder folder;
        if (has_calls) folder.line({});
        folder.file("int_limit.txt", "rank 3: MPI_Alltoallv passes a negative count\x1b[1m\nnot this\n");
        folder.finish(4, 10);
        const auto profile = read_profile(log::open_run(folder.path()));
        const auto sentences = near_two_gib_sentences(profile);
        REQUIRE(sentences.size() == 1);
        CHECK(has(sentences[0], "rank 3: MPI_Alltoallv passes a negative count"));
        CHECK_FALSE(has(sentences[0], "not this"));
        CHECK(has(text_of(profile), "passes a negative count"));
        CHECK_FALSE(has(text_of(profile), "\x1b"));
        CHECK(has(report_page(profile), "passes a negative count"));
        CHECK(nlohmann::json::parse(written(write_json, profile))["run"]["near_int_limit"] ==
              "rank 3: MPI_Alltoallv passes a negative count [1m");
    }
}
