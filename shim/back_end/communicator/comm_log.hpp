// A communicator in the log: its name there, its calls so far, and which of them are looked at more closely.
#pragma once

#include "communicators.hpp"
#include "shim/common/log/summary.hpp"

#include <array>
#include <cstdint>

namespace switchyard::shim {

class CommLog {
  public:
    explicit CommLog(int ranks = 1) : summary_(ranks) {}

    // Of the communicator on all its ranks: the world rank of its leader, and the leader's number for it.
    int leader = 0;
    std::uint32_t leader_number = 0;
    std::uint32_t number = 0; // this rank's number for it in the log

    void count(bool routed) {
        ++calls_.seen;
        if (routed) ++calls_.routed;
    }
    CallCounts& calls() { return calls_; } // the entry counts, too

    // Writes the record's identity and hands it to the recorder. `Record`: CallHead or CallRecord.
    template <typename Record>
    void add(Process& self, Record& record) {
        record.communicator = number;
        record.sequence = static_cast<std::uint32_t>(calls_.seen);
        if (self.summary)
            summary_.add(record, *self.recorder);
        else
            self.recorder->add(record);
    }
    // At each call of the collective that is logged. True at calls 1, 2, 4, 7, 11, 17, 26, ...: each number is
    // half as large again as the one before, so a million calls have 32 looks. Odd and even calls take turns,
    // since programs alternate between two exchanges.
    bool looks_at(Collective collective) {
        auto& looks = looks_[static_cast<std::size_t>(collective)];
        if (++looks.calls != looks.next) [[likely]]
            return false;
        looks.next += looks.next / 2 + 1;
        return true;
    }

  private:
    struct Looks {
        std::uint32_t calls = 0, next = 1;
    };

    CallCounts calls_;
    std::array<Looks, algorithms::collective_count> looks_{};
    log::Summary summary_;
};

} // namespace switchyard::shim
