// A rank's records: all of them come back, once, in order, whatever ends the run.
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/log_lines.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

#include "shim/common/log/merge.hpp"
#include "shim/common/log/rank_records.hpp"
#include "shim/common/log/read.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/summary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace switchyard;
using namespace shim::log;
using tests::file_text;
using tests::FileSizeLimit;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr auto ring_slots = static_cast<std::uint32_t>(Recorder::slots_in_ring);
constexpr auto half_slots = static_cast<std::uint32_t>(Recorder::slots_per_half);

// Every value of a record follows from its communicator and sequence, so that a slot
// in the wrong place shows.
CallRecord record_of(std::uint32_t communicator, std::uint32_t sequence, bool has_detail = false) {
    CallRecord record;
    const std::uint64_t seed = std::uint64_t{communicator} << 32 | sequence;
    record.communicator = communicator;
    record.sequence = sequence;
    record.decision = 1 + sequence % 3;
    record.collective = static_cast<std::uint8_t>(sequence % 3);
    record.binding = static_cast<std::uint8_t>(sequence % 2);
    record.in_place = sequence % 5 == 0;
    record.large_count = sequence % 7 == 0;
    record.has_detail = has_detail;
    record.begin = seed + 1;
    record.elapsed = seed + 2;
    record.max_block = seed + 3;
    record.sent = seed + 4;
    if (has_detail) {
        record.agree = seed + 5;
        record.stage = seed + 6;
        record.exchange = seed + 7;
        record.wire_bytes = seed + 8;
        record.messages = sequence % 100;
        record.rounds = sequence % 10;
        record.has_nodes = sequence % 4 != 0;
        if (record.has_nodes) {
            record.messages_inter = record.messages / 3;
            record.wire_bytes_inter = record.wire_bytes / 5;
        }
        record.on_device = sequence % 3 != 0;
        record.is_staged = sequence % 3 == 1;
        if (record.is_staged) {
            record.copy_in = seed + 9;
            record.copy_out = seed + 10;
        }
    } else {
        record.exchange = record.elapsed; // what a record without detail means
    }
    return record;
}

// What was recorded and what is told differ; "" if they do not.
std::string difference(const CallRecord& told, const CallRecord& expected) {
    auto tie = [](const CallRecord& r) {
        return std::tie(r.communicator, r.sequence, r.decision, r.calls, r.collective, r.binding, r.in_place,
                        r.large_count, r.has_detail, r.begin, r.elapsed, r.max_block, r.sent, r.agree,
                        r.stage, r.exchange, r.wire_bytes, r.messages, r.rounds, r.has_nodes,
                        r.messages_inter, r.wire_bytes_inter, r.on_device, r.is_staged, r.copy_in,
                        r.copy_out);
    };
    if (tie(told) == tie(expected)) return "";
    return "call " + std::to_string(expected.sequence) + " of communicator " +
           std::to_string(expected.communicator) + " came back changed";
}

// All slots of a run that is over, read as the end of a run reads them.
std::vector<Slot> slots_of(Recorder& recorder) {
    recorder.finish();
    std::vector<Slot> slots(recorder.slots());
    std::size_t done = 0;
    while (const auto some =
               recorder.read(done, slots.data() + done, std::min<std::size_t>(1000, slots.size() - done)))
        done += some;
    slots.resize(done);
    return slots;
}

std::string first_not_in_order(const std::vector<Slot>& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (slots[i].number != i)
            return "slot " + std::to_string(i) + " has number " + std::to_string(slots[i].number);
    return "";
}

// What a rank of a run of one has on disk when it is killed: read back as `switchyard report` does.
std::vector<std::string> lines_on_disk(const std::string& directory) {
    const auto run = open_run(directory);
    CHECK_FALSE(run.complete);
    return switchyard::tests::lines_of(run);
}

void add_names(Recorder& recorder, std::uint32_t communicators) {
    for (std::uint32_t number = 1; number <= communicators; ++number) {
        CommunicatorName name;
        name.number = name.leader_number = number;
        name.id = "0:" + std::to_string(number);
        name.ranks = name.nodes = name.ranks_per_node = 1;
        name.members = {0};
        recorder.add_name(name);
    }
    for (std::uint32_t number = 1; number <= 3; ++number)
        recorder.add_name(
            DecisionName{number, R"("algorithm":"native","parameters":{},"rule":null,"reason":"otherwise")"});
}

// Every call of each communicator exactly once, from 1 without holes; by communicator, how many.
std::map<std::string, std::size_t> check_lines(const std::vector<std::string>& lines, bool has_detail) {
    std::map<std::string, std::map<std::uint32_t, int>> seen;
    for (const auto& text : lines) {
        const auto line = nlohmann::json::parse(text);
        const std::string comm = line["comm"];
        const auto sequence = line["seq"].get<std::uint32_t>();
        const auto expected =
            record_of(static_cast<std::uint32_t>(std::stoul(comm.substr(2))), sequence, has_detail);
        ++seen[comm][sequence];
        if (line.contains("ranks_seen")) // a slot that was read twice
            FAIL(text);
        if (line["max_block_bytes"] != expected.max_block || line["sent_bytes"]["min"] != expected.sent)
            FAIL(text);
        // The detail of the very last call may not have been written.
        if (has_detail && line["wire_bytes"] != expected.wire_bytes && line["wire_bytes"] != 0) FAIL(text);
    }
    std::map<std::string, std::size_t> counts;
    for (const auto& [comm, sequences] : seen) {
        counts[comm] = sequences.size();
        CHECK(sequences.begin()->first == 1);
        CHECK(sequences.rbegin()->first == sequences.size());
    }
    return counts;
}

} // namespace

TEST_CASE("slots tell what the record said", "[record]") {
    for (std::uint32_t sequence : {1U, 5U, 7U, 35U})
        for (bool has_detail : {false, true}) {
            const auto record = record_of(9, sequence, has_detail);
            CallRecord told;
            Slot::call(record).tell(told);
            if (has_detail) Slot::detail(record).tell(told);
            if (record.has_nodes) Slot::nodes(record).tell(told);
            if (record.is_staged) Slot::copies(record).tell(told);
            CHECK(difference(told, record) == "");
        }
    CallRecord summed = record_of(1, 1);
    summed.calls = 12;
    CallRecord told;
    Slot::call(summed).tell(told);
    CHECK(told.calls == 12);
    CallRecord many = record_of(1, 1, true);
    many.messages = many.rounds = std::uint64_t{1} << 40; // more than the slot has room for
    Slot::detail(many).tell(told);
    CHECK(told.messages == UINT32_MAX);
    CHECK(told.rounds == UINT32_MAX);
}

TEST_CASE("records come back complete and in order, however often the ring went around", "[record]") {
    for (bool threads : {false, true})
        for (std::uint32_t count : {0U, 1U, half_slots - 1, half_slots, half_slots + 1, ring_slots - 1,
                                    ring_slots, ring_slots + 1, 9 * ring_slots + 17}) {
            INFO(count << " records, threads " << threads);
            const TemporaryFolder folder;
            Recorder recorder(Folder::made(folder / "run"), 3, 4, threads);
            REQUIRE(recorder.problem() == "");
            for (std::uint32_t i = 1; i <= count; ++i) recorder.add(record_of(1, i));
            const auto slots = slots_of(recorder);
            REQUIRE(slots.size() == count);
            CHECK(first_not_in_order(slots) == "");
            std::string wrong;
            for (std::uint32_t i = 0; i < count && wrong.empty(); ++i) {
                CallRecord told;
                slots[i].tell(told);
                wrong = difference(told, record_of(1, i + 1));
            }
            CHECK(wrong == "");
            CHECK(recorder.dropped() == 0);
        }
}

TEST_CASE("a record with detail is two slots, one more on several nodes, one more for copies", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    const std::uint32_t count = ring_slots + 5;
    for (std::uint32_t i = 1; i <= count; ++i) recorder.add(record_of(2, i, i % 2 == 0));
    std::map<std::uint32_t, CallRecord> calls;
    const auto slots = slots_of(recorder);
    CHECK(first_not_in_order(slots) == "");
    // Every second has detail; of those every second has nodes, which are those not divisible by four, and
    // every third was staged, which are those that leave 4 when divided by six.
    CHECK(slots.size() == count + count / 2 + (count / 2 - count / 4) + (count + 2) / 6);
    for (const auto& slot : slots) slot.tell(calls[slot.sequence]);
    REQUIRE(calls.size() == count);
    std::string wrong;
    for (const auto& [sequence, told] : calls)
        if (wrong.empty()) wrong = difference(told, record_of(2, sequence, sequence % 2 == 0));
    CHECK(wrong == "");
}

TEST_CASE("a sum of calls gets new slots before its messages are more than a slot can count", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    constexpr std::uint64_t most_messages = std::uint64_t{1} << 30; // of a call among a quarter as many ranks
    Summary summary(static_cast<int>(most_messages / 4));
    auto record = record_of(1, 2, true);
    record.has_nodes = record.is_staged = false;
    record.messages = most_messages;
    constexpr int calls = 10;
    for (int i = 0; i < calls; ++i) summary.add(record, recorder);
    std::uint64_t calls_told = 0, messages_told = 0;
    std::uint32_t last = 0;
    for (const auto& slot : slots_of(recorder)) {
        CallRecord told;
        slot.tell(told);
        last = told.sequence;
        if (slot.kind == SlotKind::call) calls_told += told.calls;
        if (slot.kind == SlotKind::detail) messages_told += told.messages;
    }
    CHECK(calls_told == calls);
    CHECK(messages_told == calls * most_messages);
    CHECK(last == 4); // kinds are numbered
}

// Two ranks may make one call by another function, in another language, or with buffers elsewhere.
TEST_CASE("sums of calls have the same numbers on ranks that call differently", "[record]") {
    const TemporaryFolder folder;
    std::map<std::uint32_t, MergedCall> merged; // by number
    for (const int rank : {0, 1}) {
        Recorder recorder(Folder::made(folder / std::to_string(rank)), rank, 2, false);
        Summary summary(2);
        for (std::uint32_t i = 0; i < 12; ++i) {
            auto record = record_of(1, 2, true);
            record.decision = i % 2;
            record.has_nodes = record.in_place = false;
            record.calls = 1;
            record.large_count = rank == 1 && i % 3 == 0;
            record.binding = rank == 1 && i % 4 == 0 ? 1 : 0;
            record.on_device = record.is_staged = rank == 1 && i > 4;
            record.copy_in = record.copy_out = record.is_staged ? 10 : 0;
            summary.add(record, recorder);
        }
        for (const auto& slot : slots_of(recorder)) merged[slot.sequence].add(slot, rank);
        CHECK(recorder.dropped() == 0);
    }
    REQUIRE(merged.size() == 2);
    for (const auto& [number, call] : merged) {
        CHECK(call.calls == 6);
        CHECK(call.ranks_seen == 2);
        CHECK(call.copy_in.sum == (number == 1 ? 30 : 40)); // of the staged calls alone
        CHECK(call.on_device == 1);
    }
}

TEST_CASE("threads that record at once lose nothing and double nothing", "[record]") {
    constexpr std::uint32_t each = 100'000;
    for (std::uint32_t threads : {2U, 4U}) {
        const TemporaryFolder folder;
        Recorder recorder(Folder::made(folder / "run"), 0, 1, true);
        std::vector<std::thread> running;
        for (std::uint32_t thread = 1; thread <= threads; ++thread)
            running.emplace_back([&recorder, thread] {
                for (std::uint32_t i = 1; i <= each; ++i) recorder.add(record_of(thread, i));
            });
        for (auto& thread : running) thread.join();
        const auto slots = slots_of(recorder);
        REQUIRE(slots.size() == std::size_t{threads} * each);
        CHECK(first_not_in_order(slots) == "");
        std::vector<std::uint32_t> last(threads + 1);
        std::string wrong;
        for (const auto& slot : slots) { // a thread's own records are in its order
            CallRecord told;
            slot.tell(told);
            if (wrong.empty())
                wrong = difference(told, record_of(slot.communicator, ++last.at(slot.communicator)));
        }
        CHECK(wrong == "");
        CHECK(recorder.dropped() == 0);
    }
}

TEST_CASE("where no file can be made, records stay in memory, and the problem is told", "[record]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    Recorder recorder(Folder::made(folder / "file"), 0, 1, false);
    CHECK(recorder.problem() == std::strerror(ENOTDIR));
    const std::uint32_t count = 3 * ring_slots + 1;
    for (std::uint32_t i = 1; i <= count; ++i) recorder.add(record_of(1, i));
    recorder.add_name(DecisionName{1, "a"});
    recorder.add_name(DecisionName{2, "b"});
    const auto slots = slots_of(recorder);
    CHECK(recorder.names().decision(1) == "a");
    CHECK(recorder.names().decision(2) == "b");
    CHECK(slots.size() == count);
    CHECK(first_not_in_order(slots) == "");
    CHECK(recorder.dropped() == 0);
    recorder.remove_files();
    CHECK(file_text(folder / "file") == "in the way");
}

TEST_CASE("what is more than memory should hold is dropped and counted", "[record]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    Recorder recorder(Folder::made(folder / "file"), 0, 1, false);
    const std::uint32_t count = 1'100'000;
    for (std::uint32_t i = 1; i <= count; ++i) recorder.add(record_of(1, i));
    const auto slots = slots_of(recorder);
    CHECK(slots.size() + recorder.dropped() == count);
    CHECK(slots.size() > 990'000);
    CHECK(slots.front().sequence == 1);
}

TEST_CASE("of many communicators the names come back from the file", "[record]") {
    constexpr auto kept = static_cast<std::uint32_t>(Recorder::most_communicators_in_memory);
    constexpr std::uint32_t count = 3 * kept + 7;
    const auto names_of = [](const Recorder& recorder) {
        std::vector<std::uint32_t> numbers;
        for (const auto& name : recorder.names().communicators) {
            numbers.push_back(name.number);
            CHECK(name.members.empty());
            if (name.id != "0:" + std::to_string(name.number)) FAIL(name.number << " is " << name.id);
        }
        return numbers;
    };
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 1U);
    const TemporaryFolder folder;
    SECTION("all of them") {
        Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
        add_names(recorder, count);
        CHECK(recorder.names().communicators.size() == kept);
        recorder.finish();
        CHECK(names_of(recorder) == all);
        CHECK(recorder.names().decisions.size() == 3);
    }
    SECTION("where the disk was full for a while") {
        Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
        {
            const FileSizeLimit limit(sizeof(RecordFileHeader) + ring_slots * sizeof(Slot));
            add_names(recorder, count);
            CHECK(recorder.names().communicators.size() > kept);
        }
        recorder.finish();
        CHECK(names_of(recorder) == all);
    }
    SECTION("where there is no file") {
        std::ofstream(folder / "file") << "in the way";
        Recorder recorder(Folder::made(folder / "file"), 0, 1, false);
        add_names(recorder, count);
        recorder.finish();
        CHECK(names_of(recorder) == all);
    }
    SECTION("where the file is lost, the first ones are known") {
        Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
        add_names(recorder, count);
        fs::resize_file(folder / "run/ranks/0.names", 0);
        recorder.finish();
        all.resize(kept);
        CHECK(names_of(recorder) == all);
    }
}

namespace {

// Names for which there is no room beside the ring.
constexpr std::uint32_t some_decisions = 20;
void fill_beside_ring(Recorder& recorder) {
    for (std::uint32_t number = 1; number <= some_decisions; ++number)
        recorder.add_name(DecisionName{number, std::string(1000, 'x')});
}

// All names that a killed run has on disk.
std::string names_on_disk(const std::string& ranks) {
    const auto text = file_text(ranks + "/0.ring");
    const auto from = text.substr(ring_file::names_at);
    const auto other = ranks + "/0.names";
    return from.substr(0, from.find('\0')) + (fs::exists(other) ? file_text(other) : "");
}

} // namespace

TEST_CASE("a rank with few calls makes one file", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    add_names(recorder, 3);
    for (std::uint32_t i = 1; i < half_slots; ++i) recorder.add(record_of(1, i));
    const auto files = [&] {
        return std::distance(fs::directory_iterator(folder / "run/ranks"), fs::directory_iterator());
    };
    CHECK(files() == 1);
    recorder.add(record_of(1, half_slots));
    CHECK(fs::file_size(folder / "run/ranks/0.calls") ==
          sizeof(RecordFileHeader) + half_slots * sizeof(Slot));
    fill_beside_ring(recorder);
    CHECK(files() == 3);
    const auto names = Names::parse(names_on_disk(folder / "run/ranks"));
    CHECK(names.communicators.size() == 3);
    CHECK(names.decisions.size() >= some_decisions);
    const auto records = read_rank_records(folder / "run/ranks/0.calls");
    CHECK(records.slots.size() == half_slots);
    CHECK(records.names.decisions.size() == names.decisions.size());
    recorder.remove_files();
    CHECK(files() == 0);
}

TEST_CASE("a file that could not be made is made later, and has all records", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    const fs::path calls = folder / "run/ranks/0.calls", names = folder / "run/ranks/0.names";
    for (const auto& path : {calls, names}) std::ofstream(path) << "in the way";
    std::uint32_t done = 0;
    while (done < 2 * half_slots) recorder.add(record_of(1, ++done));
    fill_beside_ring(recorder);
    for (const auto& path : {calls, names}) fs::remove(path);
    while (done < 3 * half_slots) recorder.add(record_of(1, ++done));
    recorder.add_name(DecisionName{some_decisions + 1, "y"});
    recorder.add_name(DecisionName{some_decisions + 2, std::string(1000, 'x')});
    CHECK(fs::file_size(calls) == sizeof(RecordFileHeader) + 3 * half_slots * sizeof(Slot));
    CHECK(read_rank_records(calls).slots.size() == 3 * half_slots);
    CHECK(read_rank_records(calls).names.decisions.size() == some_decisions + 2);
    CHECK(slots_of(recorder).size() == 3 * half_slots);
    CHECK(recorder.dropped() == 0);
}

TEST_CASE("files that are there already are left as they are", "[record]") {
    for (const char* part : {"0.ring", "0.calls", "0.names"}) {
        INFO(part);
        const TemporaryFolder folder;
        fs::create_directories(folder / "run/ranks");
        std::ofstream(folder / "run/ranks/" + part) << "somebody's";
        {
            Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
            CHECK(recorder.problem() == (part == std::string("0.ring") ? std::strerror(EEXIST) : ""));
            for (std::uint32_t i = 1; i <= ring_slots + half_slots; ++i) recorder.add(record_of(1, i));
            fill_beside_ring(recorder);
            CHECK(slots_of(recorder).size() == ring_slots + half_slots);
            CHECK(recorder.names().decisions.size() == some_decisions);
            recorder.remove_files();
        }
        CHECK(file_text(folder / "run/ranks/" + part) == "somebody's");
        CHECK(std::distance(fs::directory_iterator(folder / "run/ranks"), fs::directory_iterator()) == 1);
    }
}

TEST_CASE("removed files take nothing away from what finish gave", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    for (std::uint32_t i = 1; i <= ring_slots + half_slots / 2; ++i) recorder.add(record_of(1, i));
    recorder.add_name(DecisionName{1, "a"});
    CHECK(std::distance(fs::directory_iterator(folder / "run/ranks"), fs::directory_iterator()) == 2);
    const auto slots = slots_of(recorder);
    recorder.remove_files();
    CHECK(fs::is_empty(folder / "run/ranks"));
    CHECK(first_not_in_order(slots) == "");
    CHECK(slots.back().sequence == ring_slots + half_slots / 2);
}

TEST_CASE("kept slots stay in their place and may be written to", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    std::vector<Slot*> kept;
    for (std::uint32_t i = 1; i <= ring_slots; ++i)
        kept.push_back(recorder.keep(Slot::call(record_of(1, i))));
    for (auto* slot : kept) {
        REQUIRE(slot != nullptr);
        slot->calls() += 2;
    }
    CHECK(recorder.keep(Slot::call(record_of(1, ring_slots + 1))) == nullptr);
    CHECK(recorder.keep(Slot::call(record_of(1, ring_slots + 2))) == nullptr);
    CHECK(recorder.dropped() == 2);
    const auto slots = slots_of(recorder);
    REQUIRE(slots.size() == ring_slots);
    CHECK(first_not_in_order(slots) == "");
    for (std::uint32_t i = 0; i < ring_slots; ++i)
        if (slots[i].sequence != kept[i]->sequence || slots[i].pair[1] != 3) FAIL("slot " << i);
}

TEST_CASE("kept slots are kept in memory, too", "[record]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    Recorder recorder(Folder::made(folder / "file"), 0, 1, true);
    auto* slot = recorder.keep(Slot::call(record_of(1, 1)));
    REQUIRE(slot != nullptr);
    slot->calls() = 40;
    REQUIRE(slots_of(recorder).size() == 1);
    CHECK(slots_of(recorder).front().pair[1] == 40);
}

TEST_CASE("names that are torn leave the others readable", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    add_names(recorder, 2);
    const auto text = names_on_disk(folder / "run/ranks");
    const auto whole = Names::parse(text);
    REQUIRE(whole.communicators.size() == 2);
    REQUIRE(whole.decisions.size() == 3);
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto torn = Names::parse(text.substr(0, length));
        // A last line that lacks its newline only is not torn.
        const auto lines = static_cast<std::size_t>(std::count(
                               text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n')) +
                           (text[length] == '\n' ? 1 : 0);
        if (torn.communicators.size() + torn.decisions.size() != lines)
            FAIL("cut off after " << length << " bytes");
    }
    // A line torn by a full disk, and what came after it.
    const auto mended = Names::parse("{\"decision\":1,\"te\n{\"decision\":2,\"text\":\"b\"}\n");
    REQUIRE(mended.decisions.size() == 1);
    CHECK(mended.decision(2) == "b");
    CHECK(mended.decision(1).find("lost") != std::string::npos);
    CHECK(mended.communicator(1) == nullptr);
    for (const char* foreign : {"[]", "null", "7", "{}", R"({"decision":"one","text":1})",
                                R"({"communicator":1})", R"({"decision":1})", "\xff\xfe\n\n"})
        CHECK(Names::parse(foreign).communicators.size() + Names::parse(foreign).decisions.size() == 0);
}

TEST_CASE("a killed run can be read at every moment", "[record][killed]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    add_names(recorder, 1);
    std::uint32_t recorded = 0;
    for (std::uint32_t count : {0U, 1U, half_slots / 2, half_slots - 1, half_slots, half_slots + 1,
                                ring_slots + 1, ring_slots + half_slots + 1}) {
        while (recorded < count) recorder.add(record_of(1, ++recorded));
        const auto copy = folder / ("copy" + std::to_string(count));
        fs::copy(folder / "run", copy, fs::copy_options::recursive);
        const auto lines = lines_on_disk(copy);
        INFO(count << " calls");
        REQUIRE(lines.size() == count);
        check_lines(lines, false);
        for (std::size_t i = 0; i < lines.size(); ++i) // in the order of time, numbered
            if (!lines[i].starts_with("{\"call\":" + std::to_string(i + 1) + ",")) FAIL(lines[i]);
    }
}

namespace {

struct Progress {
    std::array<std::atomic<std::uint32_t>, 2> done{}; // by thread: calls whose add has returned
};

void record_until_killed(const std::string& directory, Progress& progress, bool has_detail,
                         std::uint32_t threads) {
    Recorder recorder(Folder::made(directory), 0, 1, threads > 1);
    add_names(recorder, threads);
    auto run = [&](std::uint32_t thread) {
        for (std::uint32_t i = 1; i <= 12'000; ++i) {
            recorder.add(record_of(thread + 1, i, has_detail));
            progress.done[thread] = i;
        }
    };
    std::thread other;
    if (threads > 1) other = std::thread(run, 1U);
    run(0);
    while (true) pause();
}

} // namespace

TEST_CASE("a run that is killed while it records loses no call that had ended", "[record][killed]") {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    int trial = 0;
    for (std::uint32_t threads : {1U, 2U})
        for (bool has_detail : {false, true})
            for (std::uint32_t enough : {10U, 4'000U}) {
                const TemporaryFolder folder;
                auto* progress = new (memory) Progress;
                const auto child = fork();
                REQUIRE(child >= 0);
                if (child == 0) record_until_killed(folder / "run", *progress, has_detail, threads);
                while (progress->done[0] < enough) std::this_thread::yield();
                std::this_thread::sleep_for(std::chrono::microseconds(37 * trial++));
                kill(child, SIGKILL);
                int status = 0;
                waitpid(child, &status, 0);
                const auto counts = check_lines(lines_on_disk(folder / "run"), has_detail);
                for (std::uint32_t thread = 0; thread < threads; ++thread) {
                    const auto found = counts.find("0:" + std::to_string(thread + 1));
                    const auto count = found == counts.end() ? 0 : found->second;
                    const auto done = progress->done[thread].load();
                    INFO(threads << " threads, detail " << has_detail << ", thread " << thread);
                    CHECK(count >= done);
                    CHECK(count <= done + 1);
                }
            }
    munmap(memory, sizeof(Progress));
}

TEST_CASE("a fork that leaves does not touch its parent's records", "[record]") {
    const TemporaryFolder folder;
    auto recorder = std::make_unique<Recorder>(Folder::made(folder / "run"), 0, 1, false);
    for (std::uint32_t i = 1; i <= half_slots + 10; ++i) recorder->add(record_of(1, i));
    const auto child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        recorder.reset(); // as static destructors would
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    for (std::uint32_t i = half_slots + 11; i <= 2 * ring_slots; ++i) recorder->add(record_of(1, i));
    const auto slots = slots_of(*recorder);
    CHECK(slots.size() == 2 * ring_slots);
    CHECK(first_not_in_order(slots) == "");
}

TEST_CASE("a disk that is full for a while costs the records of that time only", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    std::uint32_t recorded = 0;
    auto record_up_to = [&](std::uint32_t last) {
        while (recorded < last) recorder.add(record_of(1, ++recorded));
    };
    record_up_to(half_slots);
    {
        // The second half is written in part: not even a whole number of slots of it.
        const FileSizeLimit limit(sizeof(RecordFileHeader) + half_slots * sizeof(Slot) + 100 * sizeof(Slot) +
                                  20);
        record_up_to(2 * half_slots);
        CHECK(recorder.dropped() > 0);
    }
    record_up_to(4 * half_slots + 5);
    const auto slots = slots_of(recorder);
    CHECK(slots.size() + recorder.dropped() == recorded);
    CHECK(recorder.dropped() <= half_slots);
    std::map<std::uint32_t, int> seen;
    for (const auto& slot : slots) {
        CallRecord told;
        slot.tell(told);
        if (difference(told, record_of(1, slot.sequence)) != "")
            FAIL("garbage in slot " << slot.number << " after " << seen.size() << " good ones");
        ++seen[slot.sequence];
    }
    CHECK(seen.size() == slots.size());
    for (std::uint32_t i = 2 * half_slots + 1; i <= recorded; ++i)
        if (!seen.contains(i)) FAIL("call " << i << " is lost");
}

TEST_CASE("names written to a disk that is full for a while are not lost", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    fill_beside_ring(recorder);
    constexpr std::uint32_t next = some_decisions + 1;
    CommunicatorName world;
    world.number = 1;
    {
        const FileSizeLimit limit(file_text(folder / "run/ranks/0.names").size() + 30);
        recorder.add_name(DecisionName{next, std::string(100, 'x')});
        recorder.add_name(DecisionName{next + 1, "y"});
        recorder.add_name(world);
    }
    recorder.add_name(DecisionName{next + 2, "z"});
    const auto on_disk = Names::parse(names_on_disk(folder / "run/ranks"));
    recorder.finish();
    for (const Names* names : {&on_disk, &recorder.names()}) {
        CHECK(names->decision(next) == std::string(100, 'x'));
        CHECK(names->decision(next + 1) == "y");
        CHECK(names->decision(next + 2) == "z");
        CHECK(names->communicators.size() == 1);
    }
}

namespace {

// What a program does that closes all descriptors from 48 up and opens files of its own there.
class OwnFiles {
  public:
    explicit OwnFiles(const TemporaryFolder& folder) {
        for (int number = first; number < first + count; ++number) close(number);
        for (int number = first; number < first + count; ++number) {
            const int file =
                open((folder / ("own-" + std::to_string(number - first))).c_str(), O_RDWR | O_CREAT, 0600);
            REQUIRE(file >= 0);
            if (file == number) continue;
            REQUIRE(dup2(file, number) == number);
            close(file);
        }
    }
    ~OwnFiles() {
        for (int number = first; number < first + count; ++number) close(number);
    }
    OwnFiles(const OwnFiles&) = delete;
    OwnFiles& operator=(const OwnFiles&) = delete;

    bool are_untouched() const {
        for (int number = first; number < first + count; ++number) {
            struct stat facts {};
            if (fstat(number, &facts) != 0 || facts.st_size != 0) return false;
        }
        return true;
    }

  private:
    static constexpr int first = 48, count = 20;
};

} // namespace

TEST_CASE("a program that takes our descriptors' numbers gets nothing of ours in its files", "[record]") {
    for (const bool names_go : {false, true}) {
        INFO("names go " << names_go);
        const TemporaryFolder folder;
        auto recorder = std::make_unique<Recorder>(Folder::made(folder / "run"), 0, 1, false);
        REQUIRE(recorder->problem() == "");
        const std::uint32_t count = 4 * ring_slots + 7;
        std::uint32_t done = 0;
        while (done < ring_slots) recorder->add(record_of(1, ++done));
        add_names(*recorder, 1);
        if (names_go) fs::remove_all(folder / "run");
        const OwnFiles files(folder);
        while (done < count) recorder->add(record_of(1, ++done));
        add_names(*recorder, 2);
        const auto slots = slots_of(*recorder);
        CHECK(slots.size() + recorder->dropped() == count);
        CHECK(recorder->dropped() <=
              (names_go ? ring_slots : 0)); // what was in a file that nobody finds again
        if (!names_go) CHECK(first_not_in_order(slots) == "");
        CHECK(recorder->names().communicators.size() == 3);
        CHECK(files.are_untouched());
        recorder->remove_files();
        recorder.reset();
        CHECK(files.are_untouched()); // and they are still open
        if (!names_go) CHECK(fs::is_empty(folder / "run/ranks"));
    }
}

TEST_CASE("a file that the program truncates costs what was in it, and no more", "[record]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    std::uint32_t done = 0;
    while (done < ring_slots + 5) recorder.add(record_of(1, ++done));
    add_names(recorder, 1);
    fill_beside_ring(recorder);
    for (const char* part : {"0.calls", "0.names"}) fs::resize_file(folder / "run/ranks/" + part, 0);
    const auto slots = slots_of(recorder);
    CHECK(slots.size() == 5);
    CHECK(slots.size() + recorder.dropped() == done);
    CHECK(recorder.names().communicator(1) != nullptr);
}
