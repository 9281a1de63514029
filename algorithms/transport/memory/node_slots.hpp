// The counts of the slots of streams. A stream has a few slots in its writer's section, and two counts: its
// writer fills a slot, its reader empties it, and each waits only for the other:
//
//   section of writer w:  ... | for reader r: Filled.slots | Emptied.slots, Emptied.slots_for_all | ...
//                             | for w itself: Filled.slots, of the streams to all other ranks
//                             | ring: ... slot 0 | slot 1 | ...
//
//   word                            written by                          order    read by      order
//   slots: bytes                    w, while the slot is free           plain    r            plain
//   Filled.slots, of r              w, once the bytes are there         release  r            acquire
//   Filled.slots, of w              w, likewise, for all                release  other ranks  acquire
//   Emptied.slots                   r, once it has read the bytes       release  w            acquire
//   Emptied.slots_for_all           r, likewise, of a stream to all     release  w            acquire
//
// Each count has one writer, and only rises while the window lives. Each side knows its own counts without a
// look at them. The release of `Filled` lets the reader that acquires it see the bytes. The release of
// `Emptied` keeps the reader's reads before it: the writer acquires it, and only then writes over the bytes.
//
// Slots lie where there are no bytes of epoch n or n - 1. Before a rank enters epoch n + 1 it makes sure that
// its slots are empty (NodeStreams::end_last).
#pragma once

#include "node_sections.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::algorithms {

class NodeSlots {
  public:
    explicit NodeSlots(const NodeSections& sections);

    // Whether one of the `slots` slots for that reader is free.
    bool has_free(int reader, std::size_t slots) const {
        return filled_[at(reader)] - emptied_by(reader).slots.load(std::memory_order_acquire) < slots;
    }
    void fill(int reader) {
        sections_.filled(sections_.rank(), reader)
            .slots.store(++filled_[at(reader)], std::memory_order_release);
    }
    bool is_filled(int writer) const {
        return sections_.filled(writer, sections_.rank()).slots.load(std::memory_order_acquire) !=
               emptied_[at(writer)];
    }
    void empty(int writer) {
        sections_.emptied(writer, sections_.rank())
            .slots.store(++emptied_[at(writer)], std::memory_order_release);
    }

    // The same for slots that all other ranks read.
    bool has_free_for_all(std::size_t slots) const;
    void fill_for_all();
    bool is_filled_for_all(int writer) const;
    void empty_for_all(int writer);

    // Whether all readers have emptied all slots that this rank has filled.
    bool are_emptied() const;

  private:
    static std::size_t at(int local) { return static_cast<std::size_t>(local); }
    const section::Emptied& emptied_by(int reader) const {
        return sections_.emptied(sections_.rank(), reader);
    }

    const NodeSections& sections_;
    // By local rank: slots that this rank has filled for that rank, and slots of that
    // rank that it has emptied.
    std::vector<std::uint64_t> filled_, emptied_;
    std::uint64_t filled_for_all_ = 0;
    std::vector<std::uint64_t> emptied_for_all_; // by local rank of the writer
};

} // namespace switchyard::algorithms
