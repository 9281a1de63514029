// A rank's slots by communicator, in order of sequence, in a fixed amount of memory: all records together may
// not fit in memory.
#pragma once

#include "recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::shim::log {

// The slots of one communicator among all slots of the rank.
struct SlotSpan {
    std::uint64_t next = 0; // place of the first slot not read yet
    std::uint64_t left = 0; // slots not read yet
    std::uint64_t first_begin = 0;
    std::uint32_t last_sequence = 0;
};

class SlotReader {
  public:
    // The recorder must be finished, and must outlive this. Reads all its slots once. May throw.
    explicit SlotReader(Recorder& recorder);

    // By the recorder's number of the communicator.
    const SlotSpan& span(std::uint32_t communicator) const { return spans_[communicator]; }
    // The communicator's next slots with sequences up to `last`, at most `most` of them;
    // fewer: there are no more.
    std::size_t read(std::uint32_t communicator, std::uint32_t last, Slot* into, std::size_t most) noexcept;
    // Slots that belong to no call: their communicator has no name, or their sequence is beyond all calls.
    std::uint64_t nameless() const { return nameless_; }

    static constexpr std::size_t slots_at_once = 4096;

  private:
    // The program may write over its records. A sequence beyond all calls would make the merge
    // look for calls for ever.
    bool is_possible(const Slot& slot, std::uint64_t place) const noexcept;
    const Slot* at(std::uint64_t place) noexcept; // null: it cannot be read
    void count(const Slot& slot, std::uint64_t place);

    Recorder& recorder_;
    std::vector<SlotSpan> spans_;
    std::vector<Slot> some_;
    std::uint64_t first_ = 0, held_ = 0; // which slots `some_` holds
    std::uint64_t nameless_ = 0;
};

} // namespace switchyard::shim::log
