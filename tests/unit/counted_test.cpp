// Collectives that are only counted: the ranks' sums, their file, run.json, and what a report says of them.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"

#include "shim/common/log/counted_sums.hpp"
#include "shim/common/log/counted_totals.hpp"
#include "shim/common/log/line.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/run_directory.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/page/report_page.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

using namespace switchyard::shim;
using nlohmann::json;
using switchyard::tests::LogFolder;
using switchyard::tests::profile_of;
using switchyard::tests::TemporaryFolder;
using switchyard::tests::text_of;
using switchyard::tests::written;

namespace {

std::vector<log::CountedTotal> totals_of(const std::string& file) {
    std::vector<log::CountedTotal> totals;
    log::add_counted_sums(file, totals);
    return totals;
}

// Of two ranks and two seconds; a log of an older version has no `seen`.
std::string run_json(const std::string& seen) {
    return R"({"switchyard":"1.0.0","complete":true,"program":"app","ranks":2,"wall_s":2)" + seen + "}";
}

constexpr const char* two_kinds =
    R"(,"seen":[{"collective":"allreduce","calls":20,"time_us":{"mean":300000,"max":400000,"sum":600000},"sent_bytes":80},)"
    R"({"collective":"ialltoallw","calls":4,"time_us":{"mean":100000,"max":150000,"sum":200000},"sent_bytes":2048}])";

} // namespace

TEST_CASE("functions that are only counted: names and arguments fit", "[seen]") {
    std::set<std::string_view> names;
    for (const auto& seen : all_counted) {
        INFO(seen.name);
        CHECK(names.insert(seen.name).second);
        CHECK(seen.name.size() < sizeof(log::CountedSum::name));
        CHECK(seen.communicator != CountedTraits::none);
        CHECK(seen.root_sends_alone <= (seen.root != CountedTraits::none));
        if (seen.sent == CountedTraits::Sent::nothing) continue;
        CHECK(seen.send_buffer == 0);
        CHECK(seen.send_counts != CountedTraits::none);
        CHECK(seen.send_types > seen.send_counts);
        const bool has_array = seen.arguments[seen.send_counts] == 'N';
        using Sent = CountedTraits::Sent;
        CHECK(has_array == (seen.sent == Sent::array || seen.sent == Sent::root_array));
    }
}

TEST_CASE("the sums of a rank are in its file at once", "[seen]") {
    const TemporaryFolder folder;
    log::Recorder recorder(log::Folder::made(folder.path().string()), 3, 4, false);
    log::CountedSums sums(recorder, false);
    sums.add(Counted::barrier, 100, 0);
    sums.add(Counted::allreduce, 20, 8);
    sums.add(Counted::allreduce, 30, 4);
    const auto file = folder / "ranks/3.ring";
    auto totals = totals_of(file);
    REQUIRE(totals.size() == 2);
    CHECK(totals[0].name == "barrier");
    CHECK((totals[0].calls == 1 && totals[0].elapsed == 100 && totals[0].bytes == 0));
    CHECK(totals[1].name == "allreduce");
    CHECK((totals[1].calls == 2 && totals[1].elapsed == 50 && totals[1].bytes == 12));
    log::add_counted_sums(file, totals); // of another rank
    CHECK((totals[1].calls == 4 && totals[1].elapsed == 100 && totals[1].elapsed_max == 50));
    recorder.remove_files();
    CHECK(!std::filesystem::exists(file));
    sums.add(Counted::barrier, 1, 0); // a late call harms nothing
}

TEST_CASE("sums without a file stay in memory", "[seen]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "ranks") << "no folder";
    log::Recorder recorder(log::Folder::made(folder.path().string()), 0, 1, false);
    CHECK_FALSE(recorder.problem().empty());
    log::CountedSums sums(recorder, false);
    sums.add(Counted::iallgather, 7, 5);
    CHECK(sums.sums()[static_cast<std::size_t>(Counted::iallgather)].bytes == 5);
}

TEST_CASE("threads that add at once lose no count", "[seen]") {
    const TemporaryFolder folder;
    log::Recorder recorder(log::Folder::made(folder.path().string()), 0, 1, true);
    log::CountedSums sums(recorder, true);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int call = 0; call < 20'000; ++call) sums.add(Counted::bcast, 2, 3);
        });
    for (auto& thread : threads) thread.join();
    const auto& sum = sums.sums()[static_cast<std::size_t>(Counted::bcast)];
    CHECK((sum.calls == 80'000 && sum.elapsed == 160'000 && sum.bytes == 240'000));
}

TEST_CASE("damaged files of sums give what is whole", "[seen]") {
    const TemporaryFolder folder;
    constexpr auto begin = log::ring_file::sums_at, line = sizeof(log::CountedSum);
    const auto file = folder / "0.ring";
    {
        log::Recorder recorder(log::Folder::made(folder.path().string()), 0, 1, false);
        log::CountedSums sums(recorder, false);
        sums.add(Counted::barrier, 1, 0);
        sums.add(Counted::scan, 1, 1);
        std::filesystem::copy(folder / "ranks/0.ring", file);
    }
    CHECK(totals_of(folder / "none.ring").empty());
    REQUIRE(totals_of(file).size() == 2);
    const auto write_at = [&](std::size_t place, const std::string& text) {
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
            .seekp(static_cast<std::streamoff>(place))
            .write(text.data(), static_cast<std::streamsize>(text.size()));
    };
    SECTION("an escape in a name") {
        write_at(begin + line, "\x1b[31m");
        CHECK(totals_of(file).size() == 1);
    }
    SECTION("a name without an end") {
        write_at(begin + line, std::string(32, 'a'));
        CHECK(totals_of(file).size() == 1);
    }
    SECTION("cut") {
        std::filesystem::resize_file(file, begin + 2 * line + 20);
        CHECK(totals_of(file).size() == 1);
    }
    SECTION("not ours") {
        write_at(begin, "something");
        CHECK(totals_of(file).empty());
    }
}

TEST_CASE("run.json has the sums of what was called", "[seen]") {
    const TemporaryFolder folder;
    log::RunInfo info;
    info.ranks = 4;
    log::RunEnd end;
    end.counted = {{"allreduce", 12, 4000, 1500, 96}};
    REQUIRE(log::write_run_json(folder.path().string(), info, &end));
    std::ifstream file(folder / "run.json");
    const auto seen = json::parse(file).at("seen");
    CHECK(seen == json::parse(R"([{"collective":"allreduce","calls":12,
                                   "time_us":{"mean":1.0,"max":1.5,"sum":4.0},"sent_bytes":96}])"));
}

TEST_CASE("a line of a call that is only counted", "[seen]") {
    log::CountedRecord record;
    record.begin = 1500;
    record.elapsed = 250;
    record.sent = 64;
    record.ranks = 8;
    record.counted = static_cast<std::uint8_t>(Counted::ialltoall);
    const auto slot = log::Slot::counted(record);
    CHECK(log::counted_line(slot.counted_record(), 2) ==
          R"({"world_rank":2,"collective":"ialltoall","binding":"c","ranks":8,"sent_bytes":64,)"
          R"("begin_us":1.5,"time_us":0.25})");
    record.counted = 255; // a program may write over its records
    CHECK(json::parse(log::counted_line(record, 0))["collective"] == "unknown");
}

TEST_CASE("a report begins with the time in all collectives", "[seen]") {
    LogFolder folder;
    folder.line({.ranks = 2, .mean_us = 500'000});
    folder.line({.collective = "allgather", .ranks = 2, .mean_us = 100'000});
    folder.run_json(run_json(two_kinds));
    const auto profile = profile_of(folder);
    const auto text = text_of(profile);
    CHECK(text.find("\n1.00 s in collectives, 50.0% of the wall time; a policy can change 600.0 ms of it "
                    "(alltoallv, allgather)\n2 calls, 0 routed; 30.0% of the wall time\n") !=
          std::string::npos);
    CHECK(text.find("Counted, not routed") < text.find("Who chose"));
    CHECK(text.find("  allreduce      20  300.0 ms  15.0%    30.0%   80 B\n") != std::string::npos);
    CHECK(text.find("without MPI_Wait") != std::string::npos);

    const auto file = json::parse(written(report::write_json, profile));
    CHECK(file["seen"][0]["collective"] == "allreduce");
    CHECK(file["seen"][1]["total_us"] == 100000);
    CHECK(file["totals"]["total_us"] == 600000);
    CHECK(file["totals"]["all_collectives_us"] == 1000000);

    const auto csv = written(report::write_csv, profile);
    std::vector<std::string> lines;
    std::istringstream in(csv);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    REQUIRE(lines.size() == 5);
    for (const auto& line : lines) CHECK(std::ranges::count(line, ',') == std::ranges::count(lines[0], ','));
    CHECK(lines[3].starts_with("allreduce,,,"));
    CHECK(lines[3].find(",only counted,") != std::string::npos);

    std::ostringstream page;
    report::write_html(profile, page);
    CHECK(page.str().find("<h2>Counted, not routed</h2>") != std::string::npos);
    CHECK(page.str().find("ialltoallw") != std::string::npos);
}

TEST_CASE("a program without a call that a policy can change", "[seen]") {
    LogFolder folder;
    folder.raw("");
    folder.run_json(run_json(two_kinds));
    const auto text = text_of(profile_of(folder));
    CHECK(text.find("20.0% of the wall time; a policy can change none of it\n") != std::string::npos);
    CHECK(text.find("The log holds no calls that a policy can change\n") != std::string::npos);
    CHECK(text.find("ialltoallw") != std::string::npos);
}

TEST_CASE("logs of older versions, and with anything for the sums", "[seen]") {
    for (const auto* seen :
         {"", R"(,"seen":[])", R"(,"seen":7)", R"(,"seen":[7,null,{},{"collective":3}])"}) {
        INFO(seen);
        LogFolder folder;
        folder.line({.ranks = 2, .mean_us = 500'000});
        folder.run_json(run_json(seen));
        const auto text = text_of(profile_of(folder));
        CHECK(text.find("1 calls, 0 routed; 500.0 ms in collectives, 25.0% of the wall time\n") !=
              std::string::npos);
        CHECK(text.find("Counted, not") == std::string::npos);
    }
    LogFolder folder;
    folder.line({.ranks = 2});
    folder.run_json(run_json(
        R"(,"seen":[{"collective":"a\u001b[31m","calls":-4,"time_us":{"sum":1e300,"max":-1},"sent_bytes":"x"},)"
        R"({"collective":"scan","time_us":3}])"));
    const auto text = text_of(profile_of(folder));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("scan") != std::string::npos);
}
