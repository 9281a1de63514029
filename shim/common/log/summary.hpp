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
    // A slot counts messages in 32 bits, and a call sends at most four messages to each rank. When no more
    // calls fit, the next call gets new slots: on all ranks at the same call.
    explicit Summary(int ranks = 1) : most_calls_(UINT32_MAX / 4 / static_cast<std::uint32_t>(ranks)) {}

    // Adds the record to the sums of its kind. The first call of a kind gets new slots. May throw. `Record`:
    // CallHead or CallRecord.
    template <typename Record>
    void add(const Record& record, Recorder& recorder) {
        const auto same = std::ranges::find_if(
            sums_, [&](const Sums& sums) { return sums.calls < most_calls_ && sums.are_of(record); });
        auto& sums = same != sums_.end() ? *same : sums_.emplace_back(next_kind(record));
        sums.calls += record.calls;
        for_each_slot(record, [&](Slot slot) {
            slot.sequence = sums.number;
            sums.add(slot, recorder);
        });
    }

  private:
    // The sums of one kind of calls, by SlotKind; null: no call has left such a slot
    // yet, or there was no room.
    struct Sums {
        std::uint32_t number, decision;
        std::uint8_t collective;
        bool in_place;
        std::uint64_t calls = 0;
        bool is_full = false;
        std::array<Slot*, slot_kinds> slots{};

        // Compares only what is the same on all ranks, since all ranks must number the kinds alike. The
        // function, the language and the place of the buffers may differ from rank to rank.
        bool are_of(const CallHead& record) const {
            return decision == record.decision && collective == record.collective &&
                   in_place == record.in_place;
        }
        void add(const Slot& slot, Recorder& recorder) {
            auto*& sum = slots[static_cast<std::size_t>(slot.kind)];
            if (sum != nullptr) return sum->add(slot);
            if (is_full) return;
            sum = recorder.keep(slot);
            is_full = sum == nullptr;
        }
    };
    Sums next_kind(const CallHead& record) const {
        return {static_cast<std::uint32_t>(sums_.size() + 1), record.decision, record.collective,
                record.in_place};
    }

    std::uint64_t most_calls_;
    std::vector<Sums> sums_;
};

} // namespace switchyard::shim::log
