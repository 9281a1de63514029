// Where in its own section a rank puts the bytes of an epoch: few bytes next to the notice, more into the
// ring. The pages of the ring come as they are needed and as exchanges have earned them.
//
//   notice of epoch n:  header | slices | near: block, block, ... | places
//   ring:               ... epoch n - 1 | epoch n: block, block, ... | free: slots ... | no memory
//
//   word                             written by  when                                  order
//   bytes near and in the ring       the owner   between begin_epoch() and the store   plain
//                                                of the epoch
//   bytes at next()                  the owner   between next() and that store         plain
//   `shown_or_offered` of the place
//     to all: where its bytes lie    the owner   between begin_epoch() and the store   plain
//
// The bytes of epoch n do not lie over the bytes of epoch n - 1, so they may be written while other ranks
// still read the bytes of epoch n - 1. A place that other ranks read in epoch n - 1 is given out again for
// epoch n + 1 at the earliest. By then all of them have entered epoch n (node_epochs.hpp). The store of the
// epoch releases the bytes. A rank that acquires it may read them.
#pragma once

#include "node_pages.hpp"
#include "node_section.hpp"
#include "node_sections.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

class NodeRoom {
  public:
    explicit NodeRoom(const NodeSections& sections)
        : sections_(sections), ring_(sections.layout()), near_bytes_(sections.layout().near_bytes) {}
    NodeRoom(const NodeRoom&) = delete;
    NodeRoom& operator=(const NodeRoom&) = delete;

    // The pages that are there at first. Without this call all of them are there.
    void has_pages(const NodePages& pages) {
        pages_ = pages;
        ring_.has_memory(pages_.memory_end());
    }

    // Call it before each epoch. `need`: the bytes that must have room. `near_at`: where the bytes next to
    // the notice begin in the section.
    void begin_epoch(std::size_t near_at, std::size_t need) {
        ring_.begin_epoch(need);
        near_at_ = near_at;
        near_used_ = 0;
    }
    // Where in the own section `bytes` bytes of this epoch will lie. 0: there is no room.
    std::size_t place_for(std::size_t bytes) {
        if (bytes <= section::Layout::most_near_block && bytes <= near_bytes_ - near_used_)
            return near_place(bytes);
        return ring_place(bytes);
    }
    // 0: there is no room.
    std::size_t ring_place(std::size_t bytes) {
        if (!ring_.has_room(bytes)) [[unlikely]]
            grow_for_epoch(ring_.used() + bytes);
        const std::size_t place = ring_.take(bytes);
        if (place != 0) pages_.need(place + bytes);
        return place;
    }
    // Where in the ring the first `bytes` bytes of the next epoch will lie.
    std::byte* next(std::size_t bytes) {
        const std::size_t place = ring_.next(bytes);
        pages_.need(place + bytes);
        return sections_.own() + place;
    }

    // Where bytes of this epoch that are for all ranks lie: this rank's bytes, which come before its other
    // bytes, and another rank's.
    std::size_t most_near_bytes() const { return std::min(near_bytes_, section::Layout::most_near_block); }
    std::byte* place_for_all(std::size_t bytes, const section::Notice& own);
    const std::byte* shown(int local, std::size_t bytes, const section::Notice& notice) const {
        return bytes <= most_near_bytes() ? notice.near
                                          : sections_.of(local) + notice.places[local].shown_or_offered;
    }

    std::size_t used() const { return ring_.used(); } // of the ring, in this epoch
    std::size_t capacity() const { return ring_.capacity(); }
    // The largest area without bytes that other ranks may still read: for slots.
    section::Area free() const { return ring_.free(); }
    // As far as there is memory.
    void grow_for_epoch(std::size_t bytes) {
        if (bytes > ring_.capacity() && !ring_.is_whole()) [[unlikely]]
            ring_.has_memory(pages_.reach(ring_.memory_for(bytes)));
    }
    // Brings all pages before `end`, up to which bytes were given out.
    void need(std::size_t end) { pages_.need(end); }

    bool lacks_pages() const { return !pages_.are_all_there(); }
    // Ranks on one core use its cache in turn, so a part of the ring is enough for them. `in_all`: all bytes
    // of this rank in the epoch.
    bool is_warm_for(std::size_t in_all, bool shares_cores) const {
        if (pages_.were_refused()) return false;
        return pages_.are_all_there() || (shares_cores && ring_.has_turn_for(in_all, pages_.end()));
    }
    // Call it after an exchange of `bytes` bytes of this rank. `are_small`: pages may take more time.
    void earn_pages(std::size_t bytes, bool are_small, bool shares_cores, std::uint64_t epoch);
    // Brings all pages of the ring at once. Returns where they end.
    std::size_t bring_all_pages();

  private:
    std::size_t near_place(std::size_t bytes) {
        const std::size_t place = near_at_ + near_used_;
        near_used_ = std::min(section::rounded_up(near_used_ + bytes, sizeof(std::uint64_t)), near_bytes_);
        return place;
    }

    const NodeSections& sections_;
    section::Ring ring_;           // of the own section
    std::size_t near_bytes_;       // next to a notice
    std::size_t near_at_ = 0;      // where these bytes begin, in this epoch
    std::size_t near_used_ = 0;    // next to the own notice, of this epoch
    NodePages pages_;              // of the own section
    std::uint64_t pages_turn_ = 0; // turn of epochs in which this rank could last bring pages
};

} // namespace switchyard::algorithms
