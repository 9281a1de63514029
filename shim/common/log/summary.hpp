// Detail `summary`: calls of one kind on one communicator are added up in the slots of their first call.
#pragma once

#include "record.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace switchyard::shim::log {

// One for each communicator, for one call at a time.
class Summary {
  public:
    // A slot counts messages with 32 bits, and a call of so many ranks sends four messages to each at most. After as many
    // calls as fit, the next call gets new slots: on all ranks at the same call.
    explicit Summary(int ranks = 1) : most_calls_(UINT32_MAX / 4 / static_cast<std::uint32_t>(ranks)) {}

    // Adds the record to the sums of its kind. The first call of a kind gets new slots. May throw. `Record`: CallHead or
    // CallRecord.
    template <typename Record>
    void add(const Record& record, Recorder& recorder) {
        const auto same = std::ranges::find_if(
            sums_, [&](const Sums& sums) { return sums.calls < most_calls_ && sums.are_of(record); });
        if (same == sums_.end()) return begin(record, recorder);
        same->calls += record.calls;
        for_each_slot(record, [&](const Slot& slot) {
            if (Slot* sum = same->slots[static_cast<std::size_t>(slot.kind)]) sum->add(slot);
        });
    }

  private:
    // The sums of one kind of calls, by SlotKind; null: calls of that kind leave no such slot, or there was no room.
    struct Sums {
        CallHead first;
        std::uint64_t calls;
        std::array<Slot*, slot_kinds> slots{};

        bool are_of(const CallHead& record) const {
            return first.decision == record.decision && first.collective == record.collective &&
                   first.binding == record.binding && first.in_place == record.in_place &&
                   first.large_count == record.large_count && first.on_device == record.on_device &&
                   first.is_staged == record.is_staged;
        }
    };
    template <typename Record>
    void begin(Record record, Recorder& recorder) {
        record.sequence =
            static_cast<std::uint32_t>(sums_.size() + 1); // kinds appear in one order on all ranks
        Sums sums{record, record.calls};
        for_each_slot(record, [&](const Slot& slot) {
            sums.slots[static_cast<std::size_t>(slot.kind)] = recorder.keep(slot);
        });
        sums_.push_back(sums);
    }

    std::uint64_t most_calls_;
    std::vector<Sums> sums_;
};

} // namespace switchyard::shim::log
