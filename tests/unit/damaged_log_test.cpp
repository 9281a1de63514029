// Logs that a disk, an editor or a stranger changed: a report takes bounded time and
// memory, and says what is wrong.
#include "shim/report/text/compare_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/log/merge.hpp"
#include "shim/common/log/read.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/compare.hpp"
#include "shim/report/files/csv.hpp"
#include "shim/report/files/report_file.hpp"
#include "shim/report/files/trace.hpp"
#include "shim/report/page/markup.hpp"
#include "shim/report/read/rank_lines.hpp"
#include "shim/report/text/policy_text.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::report_page;
using switchyard::tests::TemporaryFolder;
using switchyard::tests::text_of;
using switchyard::tests::written;
namespace fs = std::filesystem;

namespace {

log::CallRecord native_call(std::uint32_t sequence) {
    log::CallRecord call;
    call.communicator = call.decision = 1;
    call.sequence = sequence;
    call.begin = 1000 * sequence;
    call.elapsed = 500;
    return call;
}

// A killed run of one rank that left these records.
class KilledRun {
  public:
    KilledRun() {
        fs::create_directory(folder_ / "ranks");
        log::CommunicatorName world;
        world.number = world.leader_number = 1;
        world.id = "world";
        world.ranks = world.nodes = world.ranks_per_node = 1;
        const log::DecisionName native{
            1, R"("algorithm":"native","parameters":{},"rule":null,"reason":"otherwise")"};
        std::ofstream(folder_ / "ranks/0.names") << world.to_line() << '\n' << native.to_line() << '\n';
    }

    void write(const std::vector<log::Slot>& slots) { write_numbered(numbered(slots)); }
    // As they are, and perhaps the ring.
    void write_numbered(const std::vector<log::Slot>& slots, const std::vector<log::Slot>& ring = {}) {
        std::ofstream file(folder_ / "ranks/0.calls", std::ios::binary);
        const log::RecordFileHeader header;
        file.write(reinterpret_cast<const char*>(&header), sizeof header);
        file.write(reinterpret_cast<const char*>(slots.data()), size_of(slots));
        std::ofstream(folder_ / "ranks/0.ring", std::ios::binary)
            .write(reinterpret_cast<const char*>(ring.data()), size_of(ring));
    }
    static std::vector<log::Slot> numbered(std::vector<log::Slot> slots) {
        std::uint64_t number = 0;
        for (auto& slot : slots) slot.number = number++;
        return slots;
    }

    std::string path() const { return folder_.path().string(); }

  private:
    static std::streamsize size_of(const std::vector<log::Slot>& slots) {
        return static_cast<std::streamsize>(slots.size() * sizeof(log::Slot));
    }

    TemporaryFolder folder_;
};

// Slots of so many calls, in the order of their numbers.
std::vector<log::Slot> numbered_calls(std::uint32_t calls) {
    std::vector<log::Slot> slots;
    for (std::uint32_t i = 1; i <= calls; ++i) slots.push_back(log::Slot::call(native_call(i)));
    return KilledRun::numbered(std::move(slots));
}

Profile profile_in(const std::string& directory) {
    return read_profile(log::open_run(directory));
}

// A line of native calls whose mean time, begin and other numbers are these texts.
std::string line_with(const std::string& numbers) {
    return R"({"call":1,"comm":"world","collective":"alltoall","ranks":4,"nodes":1,"ranks_per_node":4,)"
           R"("algorithm":"native","reason":"otherwise",)" +
           numbers + "}\n";
}

} // namespace

TEST_CASE("a record whose bytes are impossible is counted, and the others are read", "[damage]") {
    KilledRun run;
    const auto check = [&](const log::Slot& damaged, bool is_possible) {
        run.write({log::Slot::call(native_call(1)), damaged, log::Slot::call(native_call(3))});
        const auto profile = profile_in(run.path());
        CHECK(profile.calls == (is_possible ? 3 : 2));
        CHECK(profile.unreadable == (is_possible ? 0 : 1));
        CHECK_FALSE(profile.torn);
    };
    for (int byte = 0; byte < 256; ++byte) {
        INFO(byte);
        auto damaged = log::Slot::call(native_call(2));
        damaged.collective = static_cast<std::uint8_t>(byte);
        check(damaged, byte < static_cast<int>(switchyard::algorithms::collective_count));
        damaged.collective = 0;
        damaged.binding = static_cast<std::uint8_t>(byte);
        check(damaged, byte < 3);
        damaged.binding = 0;
        damaged.kind = static_cast<log::SlotKind>(byte);
        if (byte >= static_cast<int>(log::slot_kinds)) check(damaged, false);
    }
}

TEST_CASE("a slot's number that changed neither loses nor doubles another record", "[damage]") {
    constexpr std::uint32_t calls = 8, in_file = 5; // the ring still has the slots that just came to the file
    const auto all = numbered_calls(calls);
    const std::vector<log::Slot> first(all.begin(), all.begin() + in_file);
    KilledRun run;
    for (std::uint32_t place = 0; place < calls; ++place)
        for (unsigned bit = 0; bit < 64; ++bit) {
            INFO("place " << place << ", bit " << bit);
            auto ring = all;
            ring[place].number ^= std::uint64_t{1} << bit;
            run.write_numbered(first, ring);
            const auto with_ring = profile_in(run.path());
            CHECK(with_ring.calls == (place < in_file ? calls : calls - 1));
            CHECK(with_ring.unreadable == (place < in_file ? 0 : 1));
            CHECK(with_ring.rank_us.whole == 0.5 * static_cast<double>(with_ring.calls));
            if (place >= in_file) continue;
            auto file = first;
            file[place].number ^= std::uint64_t{1} << bit;
            run.write_numbered(file, all);
            const auto with_file = profile_in(run.path());
            CHECK(with_file.calls == calls - 1);
            CHECK(with_file.unreadable == 1);
            CHECK(with_file.rank_us.whole == 0.5 * static_cast<double>(with_file.calls));
        }
}

TEST_CASE("a record of the file without a kind, without a name or beyond all calls is damage", "[damage]") {
    KilledRun run;
    const auto check = [&](const std::function<void(log::Slot&)>& damage) {
        auto slots = numbered_calls(3);
        damage(slots[1]);
        run.write_numbered(slots);
        const auto profile = profile_in(run.path());
        CHECK(profile.calls == 2);
        CHECK(profile.unreadable == 1);
    };
    check([](log::Slot& slot) { slot.kind = log::SlotKind::none; });
    check([](log::Slot& slot) { slot.communicator = 99; });
    check([](log::Slot& slot) { slot.sequence = 1U << 20U; });
    check([](log::Slot& slot) { slot.sequence = 0; });
}

TEST_CASE("records that went to the file in pieces are read once, wherever the ring still has them",
          "[damage]") {
    constexpr auto piece = static_cast<std::uint32_t>(log::Recorder::slots_per_half);
    const auto all = numbered_calls(3 * piece);
    const auto part = [&](std::uint32_t first, std::uint32_t last) {
        return std::vector<log::Slot>(all.begin() + first * piece, all.begin() + last * piece);
    };
    KilledRun run;
    const auto check = [&](const std::vector<log::Slot>& file, std::vector<log::Slot> first_half,
                           const std::vector<log::Slot>& second_half, std::uint32_t calls) {
        first_half.insert(first_half.end(), second_half.begin(), second_half.end());
        run.write_numbered(file, first_half);
        const auto profile = profile_in(run.path());
        CHECK(profile.unreadable == 0);
        CHECK(profile.calls == calls);
        CHECK(profile.rank_us.whole == 0.5 * calls); // a record that is there twice counts twice
    };
    check(part(0, 2), part(2, 3), part(1, 2), 3 * piece); // the second half just came to the file
    check(part(0, 1), part(2, 3), part(1, 2), 3 * piece);
    check(part(0, 1), part(0, 1), part(1, 2), 2 * piece);
    auto behind_dropped = part(0, 1);
    const auto last = part(2, 3);
    behind_dropped.insert(behind_dropped.end(), last.begin(), last.end());
    check(behind_dropped, last, {}, 2 * piece);
}

TEST_CASE("memory grows with the records, not with their sequence numbers", "[damage]") {
    log::CommunicatorCalls calls;
    // A place for each number up to the first one takes half a terabyte.
    CHECK(calls.add(log::Slot::call(native_call(1U << 31U)), 0));
    for (std::uint32_t bit = 0; bit < 32; ++bit)
        for (std::uint32_t sequence : {1U, 2U, 5U})
            CHECK(calls.add(log::Slot::call(native_call(sequence | 1U << bit)), 0));
    const auto merged = calls.take();
    for (std::size_t i = 1; i < merged.size(); ++i) CHECK(merged[i - 1].sequence < merged[i].sequence);
    CHECK(merged.back().sequence == (5U | 1U << 31U));
}

TEST_CASE("a call is one whether its number was far off or near when its ranks came", "[damage]") {
    log::CommunicatorCalls calls;
    constexpr std::uint32_t far = 100'000;
    CHECK(calls.add(log::Slot::call(native_call(far)), 0));
    for (std::uint32_t sequence = 1; sequence <= far + 10; ++sequence)
        CHECK(calls.add(log::Slot::call(native_call(sequence)), 1));
    const auto merged = calls.take();
    REQUIRE(merged.size() == far + 10);
    CHECK(merged[far - 1].sequence == far);
    CHECK(merged[far - 1].ranks_seen == 2);
    CHECK(merged[far].ranks_seen == 1);
}

TEST_CASE("numbers that no run has neither end a report nor keep it from its end", "[damage]") {
    for (const std::string number : {"1e39", "1e300", "-1e300", "-5", "0", "18446744073709551615"})
        for (const std::string name : {"begin_us", "time_us", "ranks", "nodes", "ranks_per_node", "messages",
                                       "max_block_bytes", "sent_bytes", "calls", "call", "seq"}) {
            INFO(name << ' ' << number);
            LogFolder folder;
            folder.raw(line_with((name == "time_us" ? "" : R"("time_us":{"mean":3,"max":4},)") +
                                 ('"' + name) + "\":" + number));
            folder.line(LogLine{});
            folder.finish(4, 1);
            const auto profile = profile_in(folder.path());
            CHECK(profile.groups.size() + profile.unreadable == 2);
            for (const auto& text : {text_of(profile), report_page(profile)}) {
                CHECK_FALSE(has(text, "nan"));
                CHECK_FALSE(has(text, "inf "));
                CHECK_FALSE(has(text, "\"inf"));
            }
        }
}

TEST_CASE("numbers of run.json that no run has are passed over", "[damage]") {
    for (const std::string number : {"1e308", "-1e308", "-1", "1e39"}) {
        LogFolder folder;
        folder.line(LogLine{});
        folder.run_json(R"({"complete":true,"ranks":)" + number + R"(,"wall_s":)" + number +
                        R"(,"records_dropped":)" + number + R"(,"calls_seen":)" + number + "}");
        const auto profile = profile_in(folder.path());
        CHECK(std::isfinite(profile.wall_us()));
        CHECK(profile.wall_us() >= 0);
        CHECK(has(report_page(profile), "</html>"));
    }
}

TEST_CASE("a run.json whose `complete` is no yes or no is that of a partial run", "[damage]") {
    for (const std::string value : {"1", "null", "\"true\"", "[true]"}) {
        LogFolder folder;
        folder.line(LogLine{});
        folder.run_json(R"({"complete":)" + value + "}");
        CHECK(profile_in(folder.path()).run.partial);
    }
}

TEST_CASE("what is no regular file is not read", "[damage]") {
    LogFolder folder;
    folder.finish(4, 1);
    const auto calls = folder / "calls.jsonl";
    fs::remove(calls);
    SECTION("a pipe") {
        REQUIRE(mkfifo(calls.c_str(), 0600) == 0);
    }
    SECTION("a link to a device") {
        fs::create_symlink("/dev/zero", calls);
    }
    SECTION("a folder") {
        fs::create_directory(calls);
    }
    CHECK_THROWS_WITH(profile_in(folder.path()),
                      ContainsSubstring(calls) && ContainsSubstring("is not a regular file"));
}

TEST_CASE("a run.json, a rank's records and a rank's lines that are no regular files are told", "[damage]") {
    for (const std::string name : {"run.json", "ranks/0.calls", "ranks/0.names", "ranks/0.ring"}) {
        KilledRun run;
        run.write({log::Slot::call(native_call(1))});
        fs::remove(run.path() + "/" + name);
        REQUIRE(mkfifo((run.path() + "/" + name).c_str(), 0600) == 0);
        CHECK_THROWS_WITH(profile_in(run.path()), ContainsSubstring(name + " is not a regular file"));
    }
    LogFolder folder;
    REQUIRE(mkfifo((folder / "rank-0.jsonl").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(for_each_rank_call(folder.path(), 0, [](const Call&) {}),
                      ContainsSubstring("rank-0.jsonl is not a regular file"));
}

TEST_CASE("of a folder of runs those whose run.json is no file come first, so the latest is another",
          "[damage]") {
    LogFolder folder;
    fs::create_directories(folder / "runs/a");
    fs::create_directories(folder / "runs/b");
    REQUIRE(mkfifo((folder / "runs/b/run.json").c_str(), 0600) == 0);
    std::ofstream(folder / "runs/a/run.json") << R"({"complete":true,"started":"2026-01-02"})";
    std::ofstream(folder / "runs/a/calls.jsonl");
    std::vector<std::string> others;
    CHECK(fs::path(find_run(folder / "runs", others).directory).filename() == "a");
}

TEST_CASE("a log that may not be read is not a log of no calls", "[damage]") {
    if (geteuid() == 0) return; // root may read everything
    LogFolder folder;
    folder.line(LogLine{});
    folder.finish(4, 1);
    fs::permissions(folder / "calls.jsonl", fs::perms::none);
    CHECK_THROWS_WITH(profile_in(folder.path()),
                      ContainsSubstring("calls.jsonl cannot be read: Permission denied"));
}

TEST_CASE("a log that was cut between two lines is told by the calls that run.json counted", "[damage]") {
    const auto with_calls = [](std::uint64_t seen, std::uint64_t dropped) {
        LogFolder folder;
        folder.line(LogLine{});
        folder.line(LogLine{});
        folder.run_json(R"({"complete":true,"ranks":4,"calls_seen":)" + std::to_string(seen) +
                        R"(,"records_dropped":)" + std::to_string(dropped) + "}");
        return profile_in(folder.path());
    };
    CHECK(with_calls(2, 0).missing_calls() == 0);
    CHECK(with_calls(5, 3).missing_calls() == 0);
    CHECK(with_calls(1, 0).missing_calls() == 0);
    const auto cut = with_calls(5, 0);
    CHECK(cut.missing_calls() == 3);
    CHECK(cut.truncated());
    const std::string sentence = "3 calls of the run are missing: the file is truncated";
    CHECK(has(text_of(cut), sentence));
    CHECK(has(report_page(cut), sentence));
    std::ostringstream comparison, explanation;
    const PooledFolder folder{"cut", {pool_of(cut)}, {}};
    print_comparison({folder, folder}, comparison);
    CHECK(has(comparison.str(), sentence));
    const switchyard::policy::Policy policy;
    print_policy_on_log(policy, PolicyOnLog(policy), cut, explanation);
    CHECK(has(explanation.str(), sentence));
    CHECK(nlohmann::json::parse(written(write_json, cut))["totals"]["truncated"] == true);
}

TEST_CASE("nothing in a log changes a terminal", "[damage]") {
    const std::string program =
        "a\x1b[2J\x7f\xc2\x9b"
        "31m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c\xef\xbb\xbf\x9b\xc3 b\xc3\xa4";
    const std::string harmless =
        R"(a\x1b[2J\x7f\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c\xef\xbb\xbf\x9b\xc3 b)"
        "\xc3\xa4";
    CHECK(shown(program, 200) == harmless);
    CHECK(csv_field(program) == harmless);
    CHECK(csv_field("plain, quoted") == "\"plain, quoted\"");
    CHECK(markup("a\xe2\x80\xae"
                 "b\xc2\x9b"
                 "c\xc3\xa4") == "a?b?c\xc3\xa4");
    LogFolder folder;
    folder.line(LogLine{.rule = "\\u001b[2J\\u009b\\u202e"});
    folder.finish(4, 1);
    const auto profile = profile_in(folder.path());
    for (const auto& text : {text_of(profile), written(write_csv, profile), written(write_json, profile)}) {
        CHECK_FALSE(has(text, "\x1b"));
        CHECK_FALSE(has(text, "\xc2\x9b"));
        CHECK_FALSE(has(text, "\xe2\x80\xae"));
    }
}
