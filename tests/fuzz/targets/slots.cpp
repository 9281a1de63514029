// A rank's own slots at the end of its run. The program may have written over them.
#include "tests/fuzz/check.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/log/line.hpp"
#include "shim/common/log/merge_window.hpp"
#include "shim/common/log/slot_reader.hpp"
#include "shim/report/read/call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using namespace switchyard;
using namespace switchyard::fuzz;
using namespace switchyard::shim;
using namespace switchyard::shim::log;

constexpr std::size_t calls_in_window = 64; // few, so that slots lie in several windows
constexpr std::size_t slots_at_once = 16;

void keep_slots(Recorder& recorder, const unsigned char* data, std::size_t size) {
    for (std::size_t i = 0; i + sizeof(Slot) <= size; i += sizeof(Slot)) {
        Slot slot;
        std::memcpy(&slot, data + i, sizeof slot);
        recorder.keep(slot);
    }
}

void add_names(Recorder& recorder) {
    for (const std::uint32_t number : {1U, 2U}) {
        CommunicatorName name;
        name.number = name.leader_number = number;
        name.id = number == 1 ? "world" : "0:2";
        name.ranks = name.nodes = name.ranks_per_node = 1;
        recorder.add_name(std::move(name));
    }
    recorder.add_name(
        DecisionName{1, R"("algorithm":"native","parameters":{},"rule":null,"reason":"otherwise")"});
}

std::uint64_t check_window(MergeWindow& window, const Names& names) {
    std::uint64_t calls = 0;
    report::Call call, same;
    report::RecordReader records;
    for (const auto* merged = window.next(); merged != nullptr; window.advance(), merged = window.next()) {
        ++calls;
        const RecordedCall recorded{calls, *merged, *names.communicator(merged->communicator),
                                    names.decision(merged->decision)};
        const auto line = call_line(calls, *merged, recorded.communicator, recorded.decision);
        require(report::parse_call(line, call), "a line of the log is a call");
        require(records.read(recorded, same) && same == call, "a record says what its line says");
    }
    return calls;
}

// As the end of a run does. Its work grows with the slots.
void check_communicator(SlotReader& reader, std::uint32_t number, const Recorder& recorder) {
    const auto last = reader.span(number).last_sequence;
    const auto slots = reader.span(number).left;
    std::uint64_t calls = 0;
    MergeWindow window;
    std::vector<Slot> some(slots_at_once);
    for (std::uint64_t first = 1; first <= last; first = std::uint64_t{window.last()} + 1) {
        window.open(number, static_cast<std::uint32_t>(first),
                    std::min<std::size_t>(last - first + 1, calls_in_window));
        for (std::size_t count = some.size(); count == some.size();) {
            count = reader.read(number, window.last(), some.data(), some.size());
            for (std::size_t i = 0; i < count; ++i) window.add(some[i], 0, true);
        }
        calls += check_window(window, recorder.names());
    }
    require(calls <= slots, "no call is made of nothing");
}

void check_counted(SlotReader& reader) {
    report::Call call;
    std::vector<Slot> some(slots_at_once);
    for (std::size_t count = some.size(); count == some.size();) {
        count = reader.read(Slot::no_communicator, UINT32_MAX, some.data(), some.size());
        for (std::size_t i = 0; i < count; ++i)
            require(report::parse_call(counted_line(some[i].counted_record(), 0), call),
                    "a line of the log is a call");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const tests::TemporaryFolder folder;
    Recorder recorder(Folder::made(folder / "run"), 0, 1, false);
    add_names(recorder);
    keep_slots(recorder, data, size);
    recorder.finish();
    SlotReader reader(recorder);
    for (const std::uint32_t number : {1U, 2U}) check_communicator(reader, number, recorder);
    check_counted(reader);
    return 0;
}
