// What moves: shares, partners and skew of a group, and what the report advises.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/report/facts/what_moves.hpp"
#include "shim/report/files/report_file.hpp"

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

std::string moves(int looks, int own, int sent, int partners, int most, int empty) {
    const auto number = [](int value) { return std::to_string(value); };
    return R"("moves":{"looks":)" + number(looks) + R"(,"to_itself_bytes":)" + number(own) +
           R"(,"sent_bytes":)" + number(sent) + R"(,"partners":)" + number(partners) +
           R"(,"most_partners":)" + number(most) + R"(,"empty_blocks":)" + number(empty) + "},";
}

Profile moved(const std::vector<LogLine>& lines) {
    LogFolder folder;
    for (const auto& line : lines) folder.line(line);
    folder.finish(16, 10);
    return read_profile(log::open_run(folder.path()));
}

} // namespace

TEST_CASE("looks at calls add up, and calls without a look change nothing", "[what-moves]") {
    const auto profile = moved({{.ranks = 16, .more = moves(16, 600, 200, 32, 5, 208)},
                                {.ranks = 16},
                                {.ranks = 16, .more = moves(16, 0, 200, 48, 4, 192)}});
    REQUIRE(profile.groups.size() == 1);
    const auto found = what_moves_in(profile.groups[0]);
    CHECK(found.own_share.value() == Approx(0.6));
    CHECK(found.partners.value() == Approx(2.5));
    CHECK(found.most_partners.value() == 5);
    CHECK(found.empty_share.value() == Approx(400.0 / 480));
    CHECK(has(text_of(profile), what_moves_title));
    CHECK(has(report_page(profile), "60.0%"));
    const auto group = nlohmann::json::parse(written(write_json, profile))["groups"][0];
    CHECK(group["to_itself_share"].get<double>() == Approx(0.6));
    CHECK(group["most_partners"] == 5);
}

TEST_CASE("skew is the largest block over the mean block", "[what-moves]") {
    // The rank of 4 that sends most sends 48 bytes to 3 others, so 16 to each; the average rank half of that.
    const auto one = moved({{.block = 64, .most_sent = 48}});
    CHECK(what_moves_in(one.groups[0]).skew.value() == Approx(4));
    const auto gathered = moved({{.collective = "allgatherv", .block = 64, .most_sent = 48}});
    CHECK(what_moves_in(gathered.groups[0]).skew.value() == Approx(8));
    const auto sums = moved({{.block = 64, .calls = 10, .most_sent = 480}, {.block = 64, .most_sent = 0}});
    CHECK(what_moves_in(sums.groups[0]).skew.value() == Approx(4));
    CHECK_FALSE(what_moves_in(moved({{.most_sent = 0}}).groups[0]).skew);
}

TEST_CASE("a log from before these fields has no table of what moves", "[what-moves]") {
    const auto profile = moved({{}});
    const auto found = what_moves_in(profile.groups[0]);
    CHECK_FALSE(found.own_share);
    CHECK_FALSE(found.partners);
    CHECK_FALSE(has(text_of(profile), what_moves_title));
    CHECK_FALSE(has(report_page(profile), what_moves_title));
    CHECK(nlohmann::json::parse(written(write_json, profile))["groups"][0]["to_itself_share"].is_null());
}

TEST_CASE("the report advises what follows from the blocks", "[what-moves]") {
    const auto advice = [](const LogLine& line) { return moves_advice(moved({line})); };
    const auto sparse = advice({.ranks = 16, .more = moves(16, 0, 160, 32, 4, 208)});
    REQUIRE(sparse.size() == 1);
    CHECK(has(sparse[0], "86.7% of the blocks are empty, a rank sends to 2.0 others"));
    CHECK(has(sparse[0], "MPI_Neighbor_alltoallv"));
    const auto own = advice({.ranks = 16, .more = moves(16, 540, 460, 240, 15, 0)});
    REQUIRE(own.size() == 1);
    CHECK(has(own[0], "54.0% of a rank's bytes go to the rank itself"));
    LogLine skewed{.ranks = 16, .nodes = 2, .block = 4096, .most_sent = 2 * 15 * 100};
    REQUIRE(advice(skewed).size() == 1);
    CHECK(has(advice(skewed)[0], "20.5 times the mean: try direct_from"));
    auto gathered = skewed;
    gathered.collective = "allgatherv";
    CHECK(advice(gathered).empty());
    skewed.nodes = 1; // through the node's memory nothing is forwarded
    CHECK(advice(skewed).empty());
}

TEST_CASE("equal blocks, few ranks and cheap groups get no advice", "[what-moves]") {
    CHECK(moves_advice(moved({{.ranks = 2, .more = moves(2, 8, 8, 2, 1, 0)}})).empty());
    CHECK(moves_advice(moved({{.ranks = 16, .more = moves(16, 16, 240, 240, 15, 0)}})).empty());
    CHECK(moves_advice(moved({{.ranks = 4, .more = moves(4, 0, 8, 1, 1, 11)}})).empty());
    CHECK(moves_advice(moved({{.ranks = 16, .more = moves(16, 0, 0, 0, 0, 240)}})).empty());
    const LogLine cheap{.ranks = 16, .mean_us = 1, .agree_us = 0, .more = moves(16, 0, 160, 32, 4, 208)};
    CHECK(moves_advice(moved({cheap, {.collective = "alltoall", .ranks = 16, .mean_us = 1000}})).empty());
}
