// The section of a rank in the memory of its node, and its parts:
//
//   counts of streams | notice of even epochs | notice of odd epochs | ring
//
// In each epoch a rank writes one notice and its bytes: few bytes next to the notice, more into the ring.
// Writing a cache line that another core has read lately costs more than reading it. So the bytes of an epoch
// follow the bytes of the epoch before, around the ring: by the time a line is written again, the other core
// has lost it. Measured in RESULTS.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace switchyard::algorithms::section {

// The beginning of a notice. The epoch lies next to the bytes that its readers need next, which saves each
// reader one cache line for every source.
struct Header {
    std::atomic<std::uint64_t> epoch;
    // What its rank says about this epoch: bytes of a gather, whether it shows.
    std::uint64_t word;
    // With the bytes of a gather: see StreamPlace.
    static constexpr std::uint64_t is_offered = std::uint64_t{1} << 63;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The bytes for one destination.
struct Slice {
    std::uint32_t begin, bytes;                         // `begin`: in the section
    static constexpr std::uint32_t direct = UINT32_MAX; // as `begin`: a direct block
    static constexpr std::uint32_t stream = UINT32_MAX; // as `bytes`: there is a StreamPlace
};

// What a slice has no room to say.
struct StreamPlace {
    std::uint64_t bytes;                    // of the block
    std::uint32_t begin, slot_bytes, slots; // of the slots in the section
    // In the place for all ranks: where the bytes for all lie that come in the epoch. In any other place:
    // whether its reader is to take the block from the writer's own memory, if it can.
    std::uint32_t shown_or_offered;
    std::uintptr_t from, proof; // the writer's addresses of the block and of its proof; 0: for slots only
    std::uint64_t shown_bytes;  // in the place for all ranks: the bytes that come in the epoch
};

// The counts of the streams from one rank to another: filled and emptied slots since the window was made.
// They lie in the writer's section. A rank's channel to itself is its channel to all other ranks. There each
// reader counts in its own channel.
struct Filled {
    std::atomic<std::uint64_t> slots;
    // The writer has left, and its memory may hold other bytes: the window is broken.
    std::atomic<bool> is_withdrawn;
    std::atomic<std::uint32_t> ways; // of the first rank's channel to itself: node_rates.hpp
};
struct Emptied {
    std::atomic<std::uint64_t> slots, slots_for_all;
    std::atomic<std::uint32_t> read;    // not 0: the stream under way is read from the writer's own memory
    std::atomic<std::uint32_t> refuses; // not 0: the reader does not read that memory
};

// Where the parts of a notice are.
struct Notice {
    Header* header;
    Slice* slices;       // by destination
    std::byte* near;     // bytes next to the notice
    StreamPlace* places; // by destination; the own place is for all ranks
};

constexpr std::size_t line_bytes = 64; // of the cache
constexpr std::size_t rounded_up(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
}

class Layout {
  public:
    // A block of at most this many bytes lies next to the notice where there is room.
    static constexpr std::size_t most_near_block = 2048;
    static constexpr std::size_t least_slot_bytes = 8; // of a section that is not too small
    // At first epochs go round in this much of the ring.
    static constexpr std::size_t least_turn = std::size_t{64} << 10;

    // A ring of more than `most_ring_bytes` is of no use. The ring always has room for a slot of each stream.
    Layout(int ranks, std::size_t section_bytes, std::size_t most_ring_bytes = SIZE_MAX) {
        const auto number = static_cast<std::size_t>(ranks);
        // Each count has a cache line of its own where these lines leave most of the section to the bytes.
        count_bytes = 2 * number * line_bytes <= section_bytes / 4 ? line_bytes : sizeof(Emptied);
        first_notice = rounded_up(2 * number * count_bytes, line_bytes);
        near_begin = rounded_up(sizeof(Header) + number * sizeof(Slice), alignof(std::max_align_t));
        near_bytes = std::min(number * most_near_block, section_bytes / 16) / 16 * 16;
        notice_bytes = rounded_up(near_begin + near_bytes + number * sizeof(StreamPlace), line_bytes);
        ring_begin = first_notice + 2 * notice_bytes;
        ring_bytes = section_bytes > ring_begin ? section_bytes - ring_begin : 0;
        constexpr std::size_t parts = 9; // a third of a third, as below
        first_bytes = std::min(ring_bytes, std::max(least_turn, parts * number * line_bytes));
        ring_bytes = std::min(ring_bytes, std::max(first_bytes, most_ring_bytes));
        capacity = capacity_of(ring_bytes);
        // Each block may be a stream, and each stream has a slot in the room that two epochs leave: at least
        // a third of this.
        if (capacity < number * least_slot_bytes) capacity = 0;
    }

    // The most bytes of an epoch in a ring of `ring_bytes` bytes.
    static std::size_t capacity_of(std::size_t ring_bytes) {
        const std::size_t third = ring_bytes / 3;
        return third - third % (third < 64 * line_bytes ? least_slot_bytes : line_bytes);
    }

    bool is_enough() const { return capacity > 0; }
    std::size_t count_at(int reader, bool of_reader) const {
        return static_cast<std::size_t>(2 * reader + (of_reader ? 1 : 0)) * count_bytes;
    }
    // Where the notice of an epoch is in a section.
    std::size_t notice_at(std::uint64_t epoch) const { return first_notice + epoch % 2 * notice_bytes; }
    Notice notice(std::byte* section, std::uint64_t epoch) const {
        return parts_of(section + notice_at(epoch));
    }
    Notice parts_of(std::byte* notice) const {
        std::byte* const near = notice + near_begin;
        return {reinterpret_cast<Header*>(notice), reinterpret_cast<Slice*>(notice + sizeof(Header)), near,
                reinterpret_cast<StreamPlace*>(near + near_bytes)};
    }

    std::size_t count_bytes; // from a count to the next
    std::size_t first_notice, notice_bytes;
    std::size_t near_begin, near_bytes; // in a notice
    std::size_t ring_begin, ring_bytes;
    // Bytes that an epoch can always have.
    std::size_t first_capacity() const { return std::min(capacity, capacity_of(first_bytes)); }

    std::size_t first_bytes; // of the ring, with memory from the start
    std::size_t capacity;    // bytes of one epoch in the whole ring
};

struct Area {
    std::size_t begin, bytes;
};

// Where the bytes of a rank's epochs are in its section. An epoch has at most a third of the ring. So next to
// the bytes that other ranks may still read, there is a third for the next epoch, and a third for slots. Here
// the ring is only the part of it that has memory.
//
// Touching a page for the first time takes longer than filling it. So epochs go round in a small part of the
// ring, until the part is widened: a minimum for the smallest epochs, or the places of two larger epochs. An
// epoch that is larger than the last ones may find no room. Then the next epoch has it.
class Ring {
  public:
    explicit Ring(const Layout& layout)
        : first_(layout.ring_begin), end_of_section_(layout.ring_begin + layout.ring_bytes),
          last_(end_of_section_), capacity_(layout.capacity),
          step_(capacity_ % line_bytes == 0 ? line_bytes : Layout::least_slot_bytes),
          turn_(std::min(first_ + Layout::least_turn, last_)), begin_(first_), end_(first_) {}

    // The bytes of the section before `end` have memory, and no others. The first call comes before the first
    // epoch. Later calls add memory.
    void has_memory(std::size_t end) {
        last_ = std::min(end, end_of_section_);
        capacity_ = Layout::capacity_of(last_ - first_);
    }
    // Where memory has to end so that an epoch of `bytes` bytes has room, or of as many
    // bytes as an epoch can have.
    std::size_t memory_for(std::size_t bytes) const {
        const std::size_t third = rounded_up(bytes, line_bytes);
        return third > end_of_section_ / 3 ? end_of_section_
                                           : std::min(first_ + 3 * third + line_bytes, end_of_section_);
    }
    std::size_t capacity() const { return capacity_; } // of an epoch
    bool is_whole() const { return last_ == end_of_section_; }

    // Where the bytes of the next epoch will begin. `need`: the bytes that must have room.
    std::size_t next(std::size_t need) const {
        const std::size_t expected = std::max(need, likely_need());
        const bool ends_turn = end_ + expected > turn_ && begin_ - first_ >= expected;
        return ends_turn || last_ - end_ < capacity_ ? first_ : end_;
    }
    void begin_epoch(std::size_t need) {
        const std::size_t place = next(need);
        likely_ = likely_need();
        barrier_ = place == first_ && end_ > first_ ? begin_ : SIZE_MAX;
        before_ = {begin_, end_ - begin_};
        begin_ = end_ = place;
        missed_ = 0;
    }
    bool has_room(std::size_t bytes) const { return bytes <= std::min(begin_ + capacity_, barrier_) - end_; }
    // The place of the next `bytes` bytes of this epoch. 0: there is no room for them.
    std::size_t take(std::size_t bytes) {
        if (!has_room(bytes)) {
            missed_ += bytes;
            return 0;
        }
        const std::size_t place = end_;
        end_ += rounded_up(bytes, step_);
        return place;
    }
    // From now on epochs may go round in the whole section up to `end`.
    void widen(std::size_t end) { turn_ = std::max(turn_, std::min(end, last_)); }
    std::size_t used() const { return end_ - begin_; } // bytes of this epoch
    std::size_t first() const { return first_; }
    std::size_t last() const { return last_; }
    // Whether epochs of `bytes` bytes can go round before `end`.
    bool has_turn_for(std::size_t bytes, std::size_t end) const {
        const std::size_t epoch = rounded_up(bytes, line_bytes);
        return 3 * epoch + line_bytes <= end_of_section_ - first_ && first_ + 2 * epoch <= end;
    }
    // The largest area without bytes of this epoch or of the epoch before, which other ranks may still read.
    // It has at least a third of an epoch's bytes.
    Area free() const {
        const Area now{begin_, end_ - begin_};
        const bool is_first = begin_ < before_.begin;
        const Area left = is_first ? now : before_, right = is_first ? before_ : now;
        const std::size_t end_of_left = left.begin + left.bytes, end_of_right = right.begin + right.bytes;
        const std::size_t gaps[] = {first_,
                                    left.begin,
                                    end_of_left,
                                    std::max(right.begin, end_of_left),
                                    std::max(end_of_right, end_of_left),
                                    last_};
        Area largest{first_, 0};
        for (std::size_t i = 0; i < std::size(gaps); i += 2)
            if (const std::size_t bytes = gaps[i + 1] - gaps[i]; bytes > largest.bytes)
                largest = {gaps[i], bytes};
        return largest;
    }

  private:
    // An epoch most often needs what the last epochs needed. Older epochs count less and less.
    std::size_t likely_need() const {
        return std::min(std::max(end_ - begin_ + missed_, likely_ - likely_ / 8), capacity_);
    }

    std::size_t first_, end_of_section_, last_, capacity_, step_;
    std::size_t turn_; // an epoch that would pass this place may begin a new turn
    std::size_t begin_, end_;
    std::size_t barrier_ = SIZE_MAX; // from here on others may still read
    Area before_{first_, 0};         // the epoch before
    std::size_t missed_ = 0;         // bytes of this epoch without room
    std::size_t likely_ = 0;         // bytes of the next epoch
};

} // namespace switchyard::algorithms::section
