// Calls that larger calls outrun: which groups a report names, and where it says nothing.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/cliffs.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/text/report_text.hpp"

#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using nlohmann::json;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::report_page;
using switchyard::tests::written;

namespace {

using Sentences = std::vector<std::string>;

// So many calls like that line, of which the fastest rank takes `us`.
struct Repeated {
    LogLine like;
    double us;
    int calls = 20;
};

Profile profile_of(const std::vector<Repeated>& all) {
    LogFolder folder;
    for (const auto& [like, us, calls] : all) {
        auto line = like;
        line.mean_us = 1.1 * us;
        line.fastest_us = us;
        for (line.seq = 1; line.seq <= calls; ++line.seq) folder.line(line);
    }
    folder.finish(4, 10);
    return read_profile(log::open_run(folder.path()));
}

LogLine alltoall(int ranks, long block, const std::string& algorithm = "native", int nodes = 1) {
    return {.collective = "alltoall",
            .algorithm = algorithm,
            .ranks = ranks,
            .nodes = nodes,
            .block = block,
            .most_sent = 2 * (ranks - 1) * block}; // twice the mean
}

} // namespace

TEST_CASE("a small call that a larger one outruns is a cliff", "[cliffs]") {
    const auto profile =
        profile_of({{alltoall(4, 2), 17'600}, {alltoall(4, 64), 90}, {alltoall(4, 4096), 200}});
    CHECK(
        cliff_sentences(profile) ==
        Sentences{
            "alltoall, 4 ranks, up to 2 B, native: 20 calls usually took 18 ms, 196 times as long as calls "
            "of "
            "up to 64 B (90 us); that cost 350 ms in all, 89.0% of the time in collectives. To find a rule: "
            "switchyard tune --collective alltoall --ranks 4 --max-block 2 -o my.policy.json"});
    CHECK(has(written(print_text, profile), "Cliffs: calls that larger calls outrun"));
    CHECK(has(report_page(profile), "196 times as long as calls of up to 64 B"));
    const auto groups = json::parse(written(write_json, profile))["groups"];
    CHECK(groups[0]["cliff_times"].get<double>() == Approx(17'600.0 / 90).epsilon(1e-4));
    CHECK(groups[0]["cliff_faster_us"] == 90);
    CHECK(groups[1]["cliff_times"].is_null());
}

TEST_CASE("a call on fewer ranks that a call on more ranks outruns is a cliff", "[cliffs]") {
    const auto sentences =
        cliff_sentences(profile_of({{alltoall(3, 8), 5000}, {alltoall(4, 8, "shared"), 10}}));
    REQUIRE(sentences.size() == 1);
    CHECK(has(sentences.front(), "500 times as long as calls of up to 8 B on 4 ranks with shared (10 us)"));
}

TEST_CASE("the fastest of all calls that move as much or more is the measure", "[cliffs]") {
    const Profile profile =
        profile_of({{alltoall(4, 8), 3000}, {alltoall(4, 64), 200}, {alltoall(4, 4096), 100}});
    const auto cliffs = cliffs_of(profile);
    REQUIRE(cliffs.size() == 1);
    CHECK(cliffs.front().times() == Approx(30));
    CHECK(cliffs.front().faster->largest_block == 4096);
}

TEST_CASE("calls that cannot be compared make no cliff", "[cliffs]") {
    const Repeated slow{alltoall(4, 8), 5000};
    const auto is_alone = [&](const Repeated& other) { return cliffs_of(profile_of({slow, other})).empty(); };
    CHECK(is_alone({alltoall(4, 4), 10}));                                             // smaller blocks
    CHECK(is_alone({alltoall(3, 64), 10}));                                            // fewer ranks
    CHECK(is_alone({alltoall(4, 64, "native", 2), 10}));                               // more nodes
    CHECK(is_alone({{.collective = "allgather", .block = 64, .most_sent = 384}, 10})); // another collective
    CHECK(is_alone({alltoall(4, 64), 501}));   // not ten times as fast
    CHECK(is_alone({alltoall(4, 64), 10, 4})); // too few calls
    CHECK_FALSE(is_alone({alltoall(4, 64), 10, 5}));
    CHECK(cliffs_of(profile_of({{alltoall(4, 8), 19}, {alltoall(4, 64), 1}})).empty()); // some latencies
    CHECK(cliffs_of(profile_of({{alltoall(4, 8), 22}, {alltoall(4, 64), 1}})).size() == 1);
}

TEST_CASE("a call of few and large blocks outruns no call of many small ones", "[cliffs]") {
    LogLine sparse{.block = 4096, .most_sent = 40}, dense{.block = 64, .most_sent = 2 * 3 * 64};
    CHECK(cliffs_of(profile_of({{dense, 5000}, {sparse, 10}})).empty());
    sparse.most_sent = 2 * 4096;
    CHECK(cliffs_of(profile_of({{dense, 5000}, {sparse, 10}})).size() == 1);
    CHECK(cliffs_of(profile_of({{alltoall(4, 1), 5000}, {alltoall(4, 0), 1}})).empty()); // calls of no bytes
}

TEST_CASE("a cliff that costs little is not worth a sentence", "[cliffs]") {
    const std::vector<Repeated> few{{alltoall(4, 8), 5000, 5}, {alltoall(4, 64), 10}};
    CHECK(cliffs_of(profile_of(few)).size() == 1);
    auto among_many = few;
    among_many.push_back({{.collective = "allgather"}, 100'000, 50});
    CHECK(cliffs_of(profile_of(among_many)).empty());
}

TEST_CASE("waiting for late ranks makes no cliff", "[cliffs]") {
    LogFolder folder;
    auto line = alltoall(4, 8);
    line.mean_us = 50'000; // of ranks that wait for the last one
    line.fastest_us = 20;
    for (line.seq = 1; line.seq <= 20; ++line.seq) folder.line(line);
    line = alltoall(4, 64);
    line.mean_us = line.fastest_us = 15;
    for (line.seq = 1; line.seq <= 20; ++line.seq) folder.line(line);
    folder.finish(4, 10);
    CHECK(cliffs_of(read_profile(log::open_run(folder.path()))).empty());
}
