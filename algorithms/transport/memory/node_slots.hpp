// The slots of streams, counted. A stream has a few slots in its writer's section; its writer fills a slot,
// its reader empties it, and each waits for the other alone:
//
//   section of writer w:  ... | for reader r: Filled.slots | Emptied.slots, Emptied.slots_for_all | ...
//                             | for w itself: Filled.slots, of the streams to all others
//                             | ring: ... slot 0 | slot 1 | ...
//
//   word                            written by                          order    read by      order
//   slots: bytes                    w, where it has a free slot         plain    r            plain
//   Filled.slots, of r              w, once the bytes are there         release  r            acquire
//   Filled.slots, of w              w, likewise, for all                release  all others   acquire
//   Emptied.slots                   r, once it has read the bytes       release  w            acquire
//   Emptied.slots_for_all           r, likewise, of a stream to all     release  w            acquire
//
// Each count has one writer and only rises, as long as the window lives; both sides know their own counts
// without a look. The release of `Filled` lets the reader that acquires it see the bytes. The release of
// `Emptied` keeps the reader's reads before it: the writer, which acquires it, overwrites no byte too early.
// Slots lie where no bytes of epoch n or n - 1 are. Before a rank enters epoch n + 1 it looks whether its
// slots are empty.
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

    // Whether one of so many slots is free, for that reader.
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

    // The same of slots that all others read.
    bool has_free_for_all(std::size_t slots) const;
    void fill_for_all();
    bool is_filled_for_all(int writer) const;
    void empty_for_all(int writer);

    // All that this rank has filled, by all readers.
    bool are_emptied() const;

  private:
    static std::size_t at(int local) { return static_cast<std::size_t>(local); }
    const section::Emptied& emptied_by(int reader) const {
        return sections_.emptied(sections_.rank(), reader);
    }

    const NodeSections& sections_;
    // By local rank: slots that this rank has filled for it, and has emptied of it.
    std::vector<std::uint64_t> filled_, emptied_;
    std::uint64_t filled_for_all_ = 0;
    std::vector<std::uint64_t> emptied_for_all_; // by local rank of the writer
};

} // namespace switchyard::algorithms
