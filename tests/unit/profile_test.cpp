// A log added up: lines, buckets, percentiles, groups, and what is wrong with a log.
#include "tests/support/catch.hpp"
#include "tests/support/log_folder.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/log/line.hpp"
#include "shim/common/units.hpp"
#include "shim/report/read/profile.hpp"
#include "shim/report/text/text_table.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace switchyard::shim;
using namespace switchyard::shim::report;
using switchyard::tests::has;
using switchyard::tests::LogFolder;
using switchyard::tests::LogLine;
using switchyard::tests::profile_of;
using switchyard::tests::text_of;

TEST_CASE("a line of the log is read field by field", "[report]") {
    Call call;
    REQUIRE(parse_call(
        R"({"call":17,"comm":"world","seq":12,"collective":"alltoallv","binding":"c","ranks":16,)"
        R"("nodes":4,"ranks_per_node":4,"max_block_bytes":64,)"
        R"("sent_bytes":{"min":0,"mean":481.5,"max":960},"buffer":"host","in_place":true,)"
        R"("algorithm":"tuna","parameters":{"radix":4,"metadata":"fused"},"rule":"small","reason":"rule",)"
        R"("time_us":{"min":41.2,"mean":44.0,"max":52.9,"slowest_rank":3},)"
        R"("phases_us":{"agree":9.1,"stage":0.4,"exchange":33.0,"copy_in":1.5,"copy_out":2.5},)"
        R"("messages":10,"wire_bytes":1840,"begin_us":5.5,"later":{"deep":[1,{"max":2}]}})",
        call));
    CHECK(call.number == 17);
    CHECK(call.sequence == 12);
    CHECK(call.comm == "world");
    CHECK(call.kind.collective == "alltoallv");
    CHECK(call.kind.algorithm_text() == "tuna radix=4 metadata=fused");
    CHECK(call.kind.rule == "small");
    CHECK(call.kind.in_place);
    CHECK(call.kind.nodes == 4);
    CHECK(call.kind.block_bits == 6);
    CHECK(call.sent_bytes == 481.5);
    CHECK(call.time_max == 52.9);
    CHECK(call.slowest_rank == 3);
    CHECK(call.agree == 9.1);
    CHECK(call.copy() == 4.0);
    CHECK(call.ranks_seen == 16);
    CHECK(call.begin == 5.5);

    // The next line keeps nothing of it.
    REQUIRE(parse_call(
        R"({"world_rank":2,"collective":"alltoall","sent_bytes":108,"time_us":7.5,"rule":null})", call));
    CHECK(call.kind.rule.empty());
    CHECK(call.kind.parameters.empty());
    CHECK_FALSE(call.kind.in_place);
    CHECK(call.kind.algorithm == "?");
    CHECK(call.world_rank == 2);
    CHECK(call.time_mean == 7.5);
    CHECK(call.sent_bytes == 108);
}

TEST_CASE("a record of a killed run says what its line would say", "[report]") {
    log::CommunicatorName name;
    name.id = "0:6";
    name.ranks = 3;
    name.nodes = name.ranks_per_node = 2;
    const std::string decisions[] = {
        R"("algorithm":"tuna","parameters":{"radix":4,"metadata":"fused"},"rule":"\"b\" é","reason":"rule")",
        R"("algorithm":"native","parameters":{},"rule":null,"reason":"otherwise")", log::Names().decision(7)};
    RecordReader records;
    Call read, parsed;
    for (std::uint32_t i = 0; i < 64; ++i) {
        log::CallRecord record;
        record.sequence = i + 1;
        record.calls = i % 5 == 0 ? 7 : 1;
        record.collective = static_cast<std::uint8_t>(i % 4);
        record.in_place = i % 2 != 0;
        record.has_detail = i % 3 != 0;
        record.has_nodes = i % 4 != 0;
        record.has_phases = i % 5 != 0;
        record.on_device = i % 8 >= 4;
        record.is_staged = i % 8 >= 6;
        record.is_mapped = i % 8 == 5;
        record.max_block = (std::uint64_t{1} << 60U) + i; // more digits than a double has
        record.begin = 1'000'000'001U * i;
        std::uint64_t value = i;
#define SWITCHYARD_PHASE(name, slot, place, when) record.name = value += 1'003;
#define SWITCHYARD_INSIDE(name, slot, place) record.name = value += 509;
#define SWITCHYARD_COUNT(name, slot, place, when) record.name = value += 17;
#include "shim/common/log/fields.def"
        log::MergedCall merged;
        for (int rank = 0; rank <= static_cast<int>(i % 3); ++rank) {
            record.elapsed = 77'777U * (i + 1) + static_cast<unsigned>(rank);
            record.sent = 100U * i + static_cast<unsigned>(rank);
            for_each_slot(record, [&](const log::Slot& slot) { merged.add(slot, rank); });
        }
        const auto& decision = decisions[i % 3];
        INFO(call_line(i + 1, merged, name, decision));
        REQUIRE(records.read({i + 1, merged, name, decision}, read));
        REQUIRE(parse_call(call_line(i + 1, merged, name, decision), parsed));
        CHECK(read == parsed);
        CHECK(read.kind.parameters == (i % 3 == 0 ? "radix=4 metadata=fused" : ""));
        CHECK((read.agree > 0 && read.messages > 0) == record.has_detail);
        CHECK((read.rotate > 0 && read.update > 0) == (record.has_detail && record.has_phases));
        CHECK((read.copy() > 0) == (record.has_detail && record.is_staged));
    }
    const std::string torn = R"("algorithm":"tu)";
    CHECK_FALSE(records.read({1, log::MergedCall{}, name, torn}, read));
}

TEST_CASE("what is no line of a log is refused, and harms nothing", "[report]") {
    Call call;
    for (const char* line :
         {"", "{", "[]", "null", "17", R"("text")", "{}", R"({"collective":"alltoallv"})",
          R"({"time_us":{"mean":1}})", R"({"collective":"alltoallv","time_us":{"mea)", "\xff\xfe"})
        CHECK_FALSE(parse_call(line, call));
    // Types that no version has written.
    CHECK(parse_call(
        R"({"collective":"alltoallv","time_us":{"mean":1},"ranks":-5,"calls":0,"max_block_bytes":1.5,)"
        R"("parameters":17,"comm":{},"seq":1e300})",
        call));
    CHECK(call.kind.ranks == 0);
    CHECK(call.calls == 1);
    CHECK(call.ranks_seen == 1);
}

TEST_CASE("the text of a call's parameters is no longer than its line", "[report]") {
    const std::string name(1000, 'k');
    std::string line =
        R"({"collective":"alltoallv","time_us":1,"parameters":{")" + name + R"(":1},"parameters":[1)";
    for (int i = 0; i < 1000; ++i) line += ",1";
    line += "]}";
    Call call;
    REQUIRE(parse_call(line, call));
    CHECK(call.kind.parameters.starts_with(name + "=1"));
    CHECK(call.kind.parameters.size() < 2 * line.size()); // a name for each value takes a megabyte
}

TEST_CASE("blocks fall into powers of two", "[report]") {
    CHECK(block_bits_of(0) == 0);
    CHECK(block_bits_of(1) == 0);
    CHECK(block_bits_of(2) == 1);
    CHECK(block_bits_of(3) == 2);
    CHECK(block_bits_of(1024) == 10);
    CHECK(block_bits_of(1025) == 11);
    CHECK(block_bits_of(UINT64_MAX) == 64);
    CHECK(block_text(0) == "1 B");
    CHECK(block_text(10) == "1 KiB");
    CHECK(block_text(64) == "16 EiB");
}

TEST_CASE("percentiles are values that occurred, and weights count", "[report]") {
    Samples samples;
    CHECK(samples.median() == 0);
    for (int i = 100; i >= 1; --i) samples.add(i);
    CHECK(samples.median() == 50);
    CHECK(samples.quantile(0.95) == 95);
    CHECK(samples.quantile(0) == 1);
    CHECK(samples.quantile(1) == 100);
    CHECK(samples.deviation() == 25);
    samples.add(1000, 300); // now three quarters of all
    CHECK(samples.median() == 1000);
    CHECK(samples.quantile(0.25) == 100);
    CHECK(samples.quantile(0.1) == 40);
}

TEST_CASE("units for people", "[report]") {
    CHECK(time_text(999.94) == "999.9 us");
    CHECK(time_text(999.96) == "1.0 ms");
    CHECK(time_text(1.5e6) == "1.50 s");
    CHECK(size_text(1536) == "1.5 KiB");
    CHECK(count_text(999) == "999");
    CHECK(count_text(1234567) == "1,234,567");
    CHECK(share_text(1, 3) == "33.3%");
    CHECK(share_text(1, 0) == "-");
    CHECK(shown("a\x1b[31mb\n") == "a\\x1b[31mb\\x0a");
    CHECK(shown("äöü and more", 6) == "äöü...");
    CHECK(wrapped("aa bb cc", 5) == std::vector<std::string>{"aa bb", "cc"});
    CHECK(wrapped("a bbbbbbbb", 5) == std::vector<std::string>{"a", "bbbbb", "bbb"});
    CHECK(wrapped("", 5) == std::vector<std::string>{""});
}

TEST_CASE("calls of one kind are one group, the most time first", "[report]") {
    LogFolder folder;
    for (int i = 0; i < 10; ++i)
        folder.line(
            LogLine{.algorithm = "tuna", .rule = "small", .ranks = 4, .block = 33 + i, .mean_us = 10});
    folder.line(LogLine{.ranks = 2, .block = 64, .mean_us = 100});
    folder.line(LogLine{.ranks = 4, .block = 65, .mean_us = 100});
    folder.finish(4, 0.001);
    const auto profile = profile_of(folder);
    CHECK(profile.calls == 12);
    CHECK(profile.routed == 10);
    REQUIRE(profile.groups.size() == 3);
    CHECK(profile.groups[0].rank_us.whole == 400);
    CHECK(profile.groups[1].calls + profile.groups[2].calls == 11);
    CHECK(profile.groups[2].kind.ranks == 2); // half of the ranks, so half of the time
    const auto& tuna = profile.groups[1];
    CHECK(tuna.smallest_block == 33);
    CHECK(tuna.largest_block == 42);
    CHECK(tuna.imbalance() == Approx(2));
    CHECK(tuna.bytes == Approx(10 * 4 * 12));
    CHECK(profile.time_us(tuna) == Approx(100));
    CHECK(profile.per_rank(profile.rank_us.agree) == Approx(11 + 0.5));
    REQUIRE(profile.marks.size() == 12);
    CHECK(profile.marks[0].group == 1);
    CHECK(profile.marks[11].group == 0);
}

TEST_CASE("the text says what a person asks for, in 110 columns", "[report]") {
    LogFolder folder;
    const std::string nasty = std::string(300, 'x') + " \\u001b[31m <script> \\u00e4";
    for (int i = 0; i < 40; ++i) {
        folder.line(LogLine{.algorithm = "tuna",
                            .rule = nasty,
                            .ranks = 512,
                            .block = 1 << (i % 20),
                            .mean_us = 1.5e6,
                            .begin_us = 2e6 * i});
        folder.line(LogLine{.ranks = 512,
                            .reason = R"(rule \"small\" passed over: radix 600 is more than 512 ranks)",
                            .block = 1 << (i % 20),
                            .begin_us = 2e6 * i});
    }
    folder.finish(512, 100);
    const auto text = text_of(profile_of(folder));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(width_of(line) <= 110);
        CHECK_FALSE(has(line, "\x1b"));
    }
    for (const char* part : {"80 calls, 40 routed", "512 ranks on 1 node", "complete", "tuna radix=4",
                             "median", "p95", "max/mean", "The most expensive call groups", "agreement",
                             "packing", "Fallbacks", "radix 600 is more than 512 ranks"})
        CHECK(has(text, part));
    CHECK_FALSE(has(text, "PARTIAL"));
}

TEST_CASE("damaged and unusual logs are read and labelled", "[report]") {
    LogFolder folder;
    folder.line(LogLine{.mean_us = 10});
    folder.raw("{\"call\":2,\"collective\":\"allt");
    SECTION("truncated") {
        folder.finish(4, 1);
        const auto profile = profile_of(folder);
        CHECK(profile.calls == 1);
        CHECK(profile.unreadable == 1);
        CHECK(profile.torn);
        CHECK(has(text_of(profile),
                  "1 line could not be read, the last one among them: the file is truncated"));
    }
    SECTION("torn in the middle") {
        folder.raw("\n");
        folder.line(LogLine{});
        folder.finish(4, 1);
        const auto profile = profile_of(folder);
        CHECK(profile.calls == 2);
        CHECK_FALSE(profile.torn);
        CHECK(has(text_of(profile), "1 line could not be read\n"));
    }
    SECTION("killed, and its lines kept") {
        folder.run_json(R"({"switchyard":"1.0.0","complete":false,"ranks":4})");
        const auto profile = profile_of(folder);
        CHECK(profile.run.partial);
        CHECK(has(text_of(profile), "PARTIAL"));
        CHECK(has(text_of(profile), "at least"));
    }
    SECTION("of another version") {
        folder.run_json(R"({"switchyard":"7.1.0","complete":true,"ranks":4})");
        CHECK_THROWS_WITH(profile_of(folder), ContainsSubstring("written by switchyard 7.1.0") &&
                                                  ContainsSubstring("versions 1.x"));
    }
    SECTION("run.json that is no object, or of other types") {
        for (const char* run_json :
             {"[]", "17", R"({"complete":true,"ranks":"four","hosts":{},"command_line":7})"}) {
            folder.run_json(run_json);
            CHECK(profile_of(folder).calls == 1);
        }
    }
}

TEST_CASE("a log of no calls says so", "[report]") {
    LogFolder folder;
    folder.finish(2, 1);
    const auto text = text_of(profile_of(folder));
    CHECK(has(text, "0 calls, 0 routed"));
    CHECK(has(text, "The log holds no calls"));
}

TEST_CASE("a summary's lines count as many calls", "[report]") {
    LogFolder folder("summary.jsonl");
    folder.line(LogLine{.mean_us = 100, .calls = 10});
    folder.line(LogLine{.mean_us = 3, .calls = 1});
    folder.finish(4, 1);
    const auto profile = profile_of(folder);
    CHECK(profile.calls == 11);
    REQUIRE(profile.groups.size() == 1);
    CHECK(profile.groups[0].call_us.median() == 10);
    CHECK(has(text_of(profile), "a summary"));
}

TEST_CASE("of a folder of runs the latest is taken", "[report]") {
    LogFolder folder;
    namespace fs = std::filesystem;
    for (const auto& [name, started] :
         {std::pair{"b", "2026-01-01"}, {"a", "2026-01-02"}, {"c", "2025-12-31"}}) {
        fs::create_directories(fs::path(folder.path()) / "runs" / name);
        std::ofstream(fs::path(folder.path()) / "runs" / name / "run.json")
            << R"({"complete":true,"started":")" << started << "\"}";
        std::ofstream(fs::path(folder.path()) / "runs" / name / "calls.jsonl");
    }
    std::vector<std::string> others;
    const auto run = find_run(folder.path() + "/runs", others);
    CHECK(fs::path(run.directory).filename() == "a");
    CHECK(others == std::vector<std::string>{"c", "b"});
    CHECK_THROWS_WITH(find_run(folder.path() + "/none", others), ContainsSubstring("there is no"));
    CHECK_THROWS_WITH(find_run(folder.path() + "/calls.jsonl", others), ContainsSubstring("is a file"));
    fs::remove_all(fs::path(folder.path()) / "runs" / "a");
    fs::remove_all(fs::path(folder.path()) / "runs" / "b");
    fs::remove_all(fs::path(folder.path()) / "runs" / "c");
    CHECK_THROWS_WITH(find_run(folder.path() + "/runs", others), ContainsSubstring("is no run's log"));
}
