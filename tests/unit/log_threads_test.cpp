// Several threads of a rank record at once. tests/threads runs this with thread sanitizer, too.
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/log/counted_sums.hpp"
#include "shim/common/log/merge.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/summary.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace switchyard;
using namespace shim::log;
using tests::FileSizeLimit;
using tests::TemporaryFolder;

namespace {

constexpr std::uint32_t thread_count = 4;

void run_threads(const std::function<void(std::uint32_t thread)>& work) {
    std::vector<std::thread> running;
    for (std::uint32_t thread = 1; thread <= thread_count; ++thread) running.emplace_back(work, thread);
    for (auto& thread : running) thread.join();
}

// A thread calls on a communicator of its own, as threads of most programs do. All its values
// follow from both numbers.
CallRecord record_of_thread(std::uint32_t communicator, std::uint32_t sequence) {
    const std::uint64_t seed = std::uint64_t{communicator} << 32 | sequence;
    CallRecord record;
    record.communicator = communicator;
    record.sequence = sequence;
    record.decision = 1 + communicator;
    record.begin = seed + 1;
    record.elapsed = seed + 2;
    record.max_block = seed + 3;
    record.sent = seed + 4;
    record.has_detail = sequence % 2 == 0;
    record.has_nodes = sequence % 4 == 0;
    record.wire_bytes = seed + 5;
    record.messages_inter = record.messages = sequence % 100;
    return record;
}

std::uint32_t slot_count(std::uint32_t sequence) {
    return sequence % 4 == 0 ? 3 : sequence % 2 == 0 ? 2 : 1;
}

bool is_right(const Slot& slot) {
    const CallRecord expected = record_of_thread(slot.communicator, slot.sequence);
    CallRecord told;
    slot.tell(told);
    return slot.kind == SlotKind::call     ? told.elapsed == expected.elapsed && told.sent == expected.sent
           : slot.kind == SlotKind::detail ? told.wire_bytes == expected.wire_bytes
                                           : told.messages_inter == expected.messages_inter;
}

DecisionName decision_of(std::uint32_t number) {
    return {number, "\"reason\":\"" + std::to_string(number) + '"'};
}
CommunicatorName communicator_of(std::uint32_t number) {
    CommunicatorName name;
    name.number = number;
    name.id = "0:" + std::to_string(number);
    name.members = {0, 1, 2};
    return name;
}

// Every slot of what each thread recorded: once, right, and in the thread's order.
void check_all(Recorder& recorder, std::uint32_t calls_of_each) {
    recorder.finish();
    std::vector<Slot> slots(recorder.slots());
    for (std::size_t done = 0, some = 1; done < slots.size() && some > 0; done += some)
        some = recorder.read(done, slots.data() + done, slots.size() - done);
    std::vector<std::uint32_t> last(thread_count + 1), counts(thread_count + 1);
    std::size_t wrong = 0;
    for (const Slot& slot : slots) {
        const bool is_in_order =
            slot.communicator <= thread_count && slot.sequence >= last[slot.communicator];
        if (!is_in_order || !is_right(slot)) ++wrong;
        if (!is_in_order) continue;
        last[slot.communicator] = slot.sequence;
        ++counts[slot.communicator];
    }
    CHECK(wrong == 0);
    std::uint32_t of_each = 0;
    for (std::uint32_t i = 1; i <= calls_of_each; ++i) of_each += slot_count(i);
    if (recorder.dropped() == 0)
        for (std::uint32_t thread = 1; thread <= thread_count; ++thread) CHECK(counts[thread] == of_each);
    CHECK(slots.size() + recorder.dropped() == std::size_t{thread_count} * of_each);
}

void record_calls(Recorder& recorder, std::uint32_t thread, std::uint32_t calls) {
    for (std::uint32_t i = 1; i <= calls; ++i) recorder.add(record_of_thread(thread, i));
}

constexpr std::uint32_t calls_of_each = 20'000; // the ring goes around a few times

} // namespace

TEST_CASE("threads record and name at once", "[threads]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, true);
    constexpr std::uint32_t names_of_each = 200;
    run_threads([&](std::uint32_t thread) {
        for (std::uint32_t i = 1; i <= calls_of_each; ++i) {
            if (i % (calls_of_each / names_of_each) == 0) {
                const std::uint32_t number =
                    (thread - 1) * names_of_each + i / (calls_of_each / names_of_each);
                recorder.add_name(decision_of(number));
                recorder.add_name(communicator_of(number));
            }
            recorder.add(record_of_thread(thread, i));
        }
    });
    check_all(recorder, calls_of_each);
    CHECK(recorder.dropped() == 0);
    CHECK(recorder.names().communicators.size() == thread_count * names_of_each);
    for (std::uint32_t number = 1; number <= thread_count * names_of_each; ++number)
        if (recorder.names().decision(number) != decision_of(number).text) FAIL("decision " << number);
}

TEST_CASE("a thread looks at what others record", "[threads]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, true);
    CountedSums sums(recorder, true);
    std::atomic<bool> over = false;
    std::thread reader([&] {
        while (!over) {
            if (recorder.dropped() > 0) return;
            if (CountedSums* const current = CountedSums::current())
                current->add(shim::Counted::barrier, 1, 0);
        }
    });
    CountedSums::set_current(&sums);
    run_threads([&](std::uint32_t thread) {
        for (std::uint32_t i = 1; i <= calls_of_each; ++i) {
            recorder.add(record_of_thread(thread, i));
            sums.add(shim::Counted::bcast, 2, 3);
        }
    });
    CountedSums::set_current(nullptr);
    over = true;
    reader.join();
    check_all(recorder, calls_of_each);
    const auto& sum = sums.sums()[static_cast<std::size_t>(shim::Counted::bcast)];
    CHECK(sum.calls == thread_count * calls_of_each);
    CHECK(sum.elapsed == 2 * sum.calls);
    CHECK(sum.bytes == 3 * sum.calls);
}

TEST_CASE("threads record where no file can be made", "[threads]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    Recorder recorder(Folder::made(folder / "file"), 0, 1, true);
    run_threads([&](std::uint32_t thread) { record_calls(recorder, thread, calls_of_each); });
    check_all(recorder, calls_of_each);
    CHECK(recorder.dropped() == 0);
}

TEST_CASE("threads record while the disk is full", "[threads]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, true);
    {
        const FileSizeLimit limit(sizeof(RecordFileHeader) + 3 * Recorder::slots_per_half * sizeof(Slot) +
                                  100);
        run_threads([&](std::uint32_t thread) { record_calls(recorder, thread, calls_of_each); });
    }
    check_all(recorder, calls_of_each);
    CHECK(recorder.dropped() > 0);
}

TEST_CASE("threads add up calls in kept slots", "[threads]") {
    const TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, true);
    run_threads([&](std::uint32_t thread) {
        Summary summary(4);
        CallRecord record;
        record.communicator = thread;
        for (std::uint32_t i = 1; i <= calls_of_each; ++i) {
            record.decision = i % 50;
            record.elapsed = record.exchange = 1;
            summary.add(record, recorder);
        }
    });
    recorder.finish();
    std::vector<Slot> slots(recorder.slots());
    CHECK(recorder.read(0, slots.data(), slots.size()) == thread_count * 50);
    CHECK(std::ranges::all_of(slots, [](const Slot& slot) {
        return slot.pair[1] == calls_of_each / 50 && slot.values[1] == calls_of_each / 50;
    }));
}
