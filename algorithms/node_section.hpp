// The section of a rank in the memory of its node, and its parts:
//
//   counts of streams | notice of even epochs | notice of odd epochs | ring
//
// In each epoch a rank writes one notice, and its bytes: few beside it, more into the ring. To write a cache line that another
// core has read lately costs more than to read it. So the bytes of an epoch follow those of the epoch before, around the
// ring: until a line is written again, the other core has lost it. Measured in RESULTS.md.
#pragma once

#include "node_claims.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::section {

// The beginning of a notice. The epoch lies beside the bytes that its readers need next, which saves each reader one cache
// line for every source.
struct Header {
    std::atomic<std::uint64_t> epoch;
    // What its rank says of this epoch: bytes of a gather, whether it shows, its part of a core.
    std::uint64_t word;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The bytes for one destination.
struct Slice {
    std::uint32_t begin, bytes;                           // `begin`: in the section
    static constexpr std::uint32_t straight = UINT32_MAX; // as `begin`: the block goes straight
    static constexpr std::uint32_t stream = UINT32_MAX;   // as `bytes`: there is a StreamPlace
};

// What a slice has no room for.
struct StreamPlace {
    std::uint64_t bytes;                    // of the block
    std::uint32_t begin, slot_bytes, slots; // of the slots in the section; no slots: the block is a message
    std::uint32_t shown;                    // where bytes for all are that come in the epoch
    std::uintptr_t from, proof; // the writer's addresses of the block and of its proof; 0: for slots only
};

// The counts of the streams from one rank to another: filled and emptied slots since the window was made. They lie in the
// writer's section. The channel of a rank to itself is that to all others, where each reader counts in its own channel.
struct Filled {
    std::atomic<std::uint64_t> slots;
    Claims claims; // of the stream under way, as `read`
};
struct Emptied {
    std::atomic<std::uint64_t> slots, slots_for_all;
    std::atomic<std::uint64_t> read; // pieces from the writer's own memory
};

// Where the parts of a notice are.
struct Notice {
    Header* header;
    Slice* slices;       // by destination
    std::byte* near;     // bytes beside the notice
    StreamPlace* places; // by destination; the own one is that to all
};

constexpr std::size_t line_bytes = 64; // of the cache
constexpr std::size_t rounded_up(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
}

class Layout {
  public:
    // A block of so many bytes or fewer lies beside the notice where there is room.
    static constexpr std::size_t most_near_block = 2048;
    static constexpr std::size_t least_slot_bytes = 8; // of a section that is not too small

    Layout(int ranks, std::size_t section_bytes) {
        const auto number = static_cast<std::size_t>(ranks);
        // Each count has a cache line of its own where these leave most of the section to the bytes.
        count_bytes = 2 * number * line_bytes <= section_bytes / 4 ? line_bytes : sizeof(Emptied);
        first_notice = rounded_up(2 * number * count_bytes, line_bytes);
        near_begin = rounded_up(sizeof(Header) + number * sizeof(Slice), alignof(std::max_align_t));
        near_bytes = std::min(number * most_near_block, section_bytes / 16) / 16 * 16;
        notice_bytes = rounded_up(near_begin + near_bytes + number * sizeof(StreamPlace), line_bytes);
        ring_begin = first_notice + 2 * notice_bytes;
        ring_bytes = section_bytes > ring_begin ? section_bytes - ring_begin : 0;
        capacity = ring_bytes / 3;
        capacity -= capacity % (capacity < 64 * line_bytes ? least_slot_bytes : line_bytes);
        // Each block may be a stream, and each stream has a slot.
        if (capacity < number * least_slot_bytes) capacity = 0;
    }

    bool is_enough() const { return capacity > 0; }
    std::size_t count_at(int reader, bool of_reader) const {
        return static_cast<std::size_t>(2 * reader + (of_reader ? 1 : 0)) * count_bytes;
    }
    Notice notice(std::byte* section, std::uint64_t epoch) const {
        std::byte* const notice = section + first_notice + epoch % 2 * notice_bytes;
        std::byte* const near = notice + near_begin;
        return {reinterpret_cast<Header*>(notice), reinterpret_cast<Slice*>(notice + sizeof(Header)), near,
                reinterpret_cast<StreamPlace*>(near + near_bytes)};
    }

    std::size_t count_bytes; // from a count to the next
    std::size_t first_notice, notice_bytes;
    std::size_t near_begin, near_bytes; // in a notice
    std::size_t ring_begin, ring_bytes;
    std::size_t capacity; // bytes of one epoch in the ring
};

struct Area {
    std::size_t begin, bytes;
};

// Where the bytes of a rank's epochs are in its section. An epoch has a third of the ring at most. So there is a third for the
// next one, beside the bytes that others may still read; and in the meantime for slots.
//
// To touch a page for the first time takes longer than to fill it. So the ring begins as a small one, and grows while it is used.
class Ring {
  public:
    explicit Ring(const Layout& layout)
        : first_(layout.ring_begin), last_(layout.ring_begin + layout.ring_bytes), capacity_(layout.capacity),
          step_(capacity_ % line_bytes == 0 ? line_bytes : Layout::least_slot_bytes),
          turn_(std::min(first_ + first_turn, last_)), begin_(first_), end_(first_),
          limit_(first_ + capacity_) {}

    // Where the bytes of the next epoch will begin. `need`: so many of them must have room.
    std::size_t next(std::size_t need) const {
        const bool ends_turn = end_ >= turn_ && begin_ - first_ >= std::max(need, 2 * (end_ - begin_));
        return ends_turn || last_ - end_ < capacity_ ? first_ : end_;
    }
    void begin_epoch(std::size_t need) {
        const std::size_t place = next(need);
        limit_ = place + capacity_;
        if (place == first_ && end_ > first_) {
            limit_ = std::min(limit_, begin_); // others may still read what lies there
            if (++turns_ % turns_of_a_size == 0) turn_ = std::min(first_ + 2 * (turn_ - first_), last_);
        }
        begin_ = end_ = place;
    }
    // The place of the next so many bytes of this epoch. 0: there is no room for them.
    std::size_t take(std::size_t bytes) {
        if (bytes > limit_ - end_) {
            turn_ = last_;
            return 0;
        }
        const std::size_t place = end_;
        end_ += rounded_up(bytes, step_);
        return place;
    }
    // Of this epoch.
    Area free() const {
        const Area before{first_, begin_ - first_}, behind{end_, last_ - end_};
        return before.bytes > behind.bytes ? before : behind;
    }

  private:
    static constexpr std::size_t first_turn = std::size_t{64} << 10;
    static constexpr int turns_of_a_size = 4;

    std::size_t first_, last_, capacity_, step_;
    std::size_t turn_; // from here on a small epoch begins a new turn
    int turns_ = 0;
    std::size_t begin_, end_, limit_;
};

} // namespace switchyard::algorithms::section
