// A rank's slots by communicator, in pieces, and windows of calls that are made of them.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/log/merge_window.hpp"
#include "shim/common/log/slot_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

using namespace switchyard;
using namespace shim::log;
using tests::TemporaryFolder;

namespace {

constexpr std::uint32_t communicator_count = 3;

void add_communicators(Recorder& recorder) {
    for (std::uint32_t number = 1; number <= communicator_count; ++number) {
        CommunicatorName name;
        name.number = name.leader_number = number;
        name.id = std::to_string(number);
        name.ranks = 1;
        recorder.add_name(name);
    }
}

CallRecord record_in(std::uint32_t communicator, std::uint32_t sequence) {
    CallRecord record;
    record.communicator = communicator;
    record.sequence = sequence;
    record.begin = 1000 * sequence + communicator;
    record.has_detail = sequence % 2 == 0;
    record.wire_bytes = record.has_detail ? sequence : 0;
    return record;
}

// `calls` on each communicator, in turn; those on communicator 2 begin late, and one
// communicator has no name.
void record_all(Recorder& recorder, std::uint32_t calls) {
    add_communicators(recorder);
    for (std::uint32_t i = 1; i <= calls; ++i) {
        recorder.add(record_in(1, i));
        if (i > calls / 2) recorder.add(record_in(2, i - calls / 2));
        recorder.add(record_in(3, i));
    }
    recorder.add(record_in(communicator_count + 1, 1));
    recorder.finish();
}

} // namespace

TEST_CASE("a communicator's slots come in pieces, by sequence, whatever lies between them", "[slot_reader]") {
    const std::uint32_t calls = 30'000;
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    record_all(recorder, calls);
    SlotReader reader(recorder);
    CHECK(reader.nameless() == 1);
    CHECK(reader.span(1).left == calls + calls / 2);
    CHECK(reader.span(1).last_sequence == calls);
    CHECK(reader.span(2).last_sequence == calls / 2);
    CHECK(reader.span(3).first_begin == 1003);
    std::vector<Slot> some(700);
    std::vector<std::uint32_t> last(communicator_count + 1);
    for (std::uint32_t up_to = 1000; up_to <= calls; up_to += 1000)
        for (std::uint32_t number = communicator_count; number > 0; --number)
            for (std::size_t count = some.size(); count == some.size();) {
                count = reader.read(number, up_to, some.data(), some.size());
                for (std::size_t i = 0; i < count; ++i) {
                    const auto& slot = some[i];
                    if (slot.kind == SlotKind::call) ++last[number];
                    if (slot.communicator != number || slot.sequence != last[number] || slot.sequence > up_to)
                        FAIL("communicator " << number << ", sequence " << slot.sequence);
                }
            }
    CHECK(last == std::vector<std::uint32_t>{0, calls, calls / 2, calls});
    CHECK(reader.read(1, UINT32_MAX, some.data(), some.size()) == 0);
    CHECK(reader.read(communicator_count + 1, UINT32_MAX, some.data(), some.size()) == 0);
}

TEST_CASE("records that vanish after they were counted end the reading", "[slot_reader]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    record_all(recorder, 30'000);
    SlotReader reader(recorder);
    std::filesystem::resize_file(folder / "run/ranks/0.calls", 64);
    std::vector<Slot> some(100'000);
    CHECK(reader.read(1, UINT32_MAX, some.data(), some.size()) < 30'000);
    CHECK(reader.span(1).left == 0);
}

TEST_CASE("a sequence beyond all calls belongs to no call, so the windows of a merge come to an end",
          "[slot_reader]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    add_communicators(recorder);
    recorder.add(record_in(1, 1));
    recorder.add(record_in(1, UINT32_MAX));
    recorder.add(record_in(1, 3));
    recorder.finish();
    SlotReader reader(recorder);
    CHECK(reader.nameless() == 1);
    CHECK(reader.span(1).last_sequence == 3);
    std::vector<Slot> some(10);
    REQUIRE(reader.read(1, 3, some.data(), some.size()) == 2);
    CHECK(some[1].sequence == 3);
}

TEST_CASE("a window adds up the ranks' slots of its calls and passes over the others", "[merge_window]") {
    MergeWindow window;
    window.open(7, 101, 10);
    CHECK(window.last() == 110);
    auto record = record_in(3, 105);
    record.decision = 4;
    window.add(Slot::call(record), 0, true);
    record.decision = 9;
    window.add(Slot::call(record), 1, false);
    for (const std::uint32_t outside : {0U, 1U, 100U, 111U, UINT32_MAX})
        window.add(Slot::call(record_in(3, outside)), 1, false);
    record.sequence = 106;
    window.add(Slot::call(record), 1, false);
    const auto* call = window.next();
    REQUIRE(call != nullptr);
    CHECK(call->ranks_seen == 2);
    CHECK(call->sequence == 105);
    CHECK(call->communicator == 7);
    CHECK(call->decision == 4);
    window.advance();
    REQUIRE(window.next() != nullptr);
    CHECK(window.next()->sequence == 106);
    CHECK(window.next()->decision == 0); // the number is of a rank that does not merge
    window.advance();
    CHECK(window.next() == nullptr);
}
