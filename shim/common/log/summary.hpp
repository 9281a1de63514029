// Detail `summary`: calls of one kind on one communicator are added up in the slots of their first call.
#pragma once

#include "record.hpp"
#include "recorder.hpp"

#include <array>
#include <vector>

namespace switchyard::shim::log {

// One for each communicator, for one call at a time.
class Summary {
  public:
    // Adds the record to the sums of its kind. The first call of a kind gets new slots. May throw.
    void add(const CallRecord& record, Recorder& recorder);

  private:
    // The sums of one kind of calls, by SlotKind; null: calls of that kind leave no such slot, or there was no room.
    struct Sums {
        CallRecord first;
        std::array<Slot*, slot_kinds> slots{};
    };
    void begin(const CallRecord& record, Recorder& recorder);

    std::vector<Sums> sums_;
};

} // namespace switchyard::shim::log
