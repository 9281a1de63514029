// Where in its own section a rank puts the bytes of an epoch: few beside the notice, more into the ring,
// whose pages come as they are needed and as exchanges have earned them.
//
//   notice of epoch n:  header | slices | near: block, block, ... | places
//   ring:               ... epoch n - 1 | epoch n: block, block, ... | free: slots ... | no memory
//
//   word                             written by  when                                  order
//   bytes near and in the ring       the owner   between begin_epoch() and the store   plain
//                                                of the epoch
//   `shown_or_offered` of the place
//     to all: where its bytes lie    the owner   likewise                              plain
//
// The bytes of epoch n lie where those of epoch n - 1 are not, so they may be written while others still read
// the latter. A place that others read in epoch n - 1 is given out again in epoch n + 1 at the earliest. By
// then all of them have entered epoch n (node_epochs.hpp). The store of the epoch releases the bytes, and who
// acquires it reads them.
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

    // The first ones. Without this call all of them are there.
    void has_pages(const NodePages& pages) {
        pages_ = pages;
        ring_.has_memory(pages_.memory_end());
    }

    // Room for `need` bytes at least. `near_at`: where the bytes beside the notice begin in the section.
    void begin_epoch(std::size_t near_at, std::size_t need) {
        ring_.begin_epoch(need);
        near_at_ = near_at;
        near_used_ = 0;
    }
    // Where in the own section so many bytes of this epoch are to lie. 0: there is no room.
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
    // Where so many bytes in the ring will lie, which the next epoch begins with.
    std::byte* next(std::size_t bytes) {
        const std::size_t place = ring_.next(bytes);
        pages_.need(place + bytes);
        return sections_.own() + place;
    }

    // Where so many bytes of this epoch, for all, lie: of this rank, before any other of it, and of another.
    std::size_t most_near_bytes() const { return std::min(near_bytes_, section::Layout::most_near_block); }
    std::byte* place_for_all(std::size_t bytes, const section::Notice& own);
    const std::byte* shown(int local, std::size_t bytes, const section::Notice& notice) const {
        return bytes <= most_near_bytes() ? notice.near
                                          : sections_.of(local) + notice.places[local].shown_or_offered;
    }

    std::size_t used() const { return ring_.used(); } // of the ring, in this epoch
    std::size_t capacity() const { return ring_.capacity(); }
    // Bytes of no epoch that others may still read: for slots.
    section::Area free() const { return ring_.free(); }
    // Where there is memory.
    void grow_for_epoch(std::size_t bytes) {
        if (bytes > ring_.capacity() && !ring_.is_whole()) [[unlikely]]
            ring_.has_memory(pages_.reach(ring_.memory_for(bytes)));
    }
    // Brings all pages before `end`, of bytes that were given out.
    void need(std::size_t end) { pages_.need(end); }

    bool lacks_pages() const { return !pages_.are_all_there(); }
    // Ranks on one core use its cache in turn, so a part of the ring is enough for them. `in_all`: bytes of
    // this rank in an epoch.
    bool is_warm_for(std::size_t in_all, bool shares_cores) const {
        if (pages_.were_refused()) return false;
        return pages_.are_all_there() || (shares_cores && ring_.has_turn_for(in_all, pages_.end()));
    }
    // After an exchange of so many bytes of this rank. Pages may take more of the time of small ones.
    void earn_pages(std::size_t bytes, bool are_small, bool shares_cores, std::uint64_t epoch);
    // All of its memory at once. Returns where it ends.
    std::size_t bring_all_pages();

  private:
    std::size_t near_place(std::size_t bytes) {
        const std::size_t place = near_at_ + near_used_;
        near_used_ = std::min(section::rounded_up(near_used_ + bytes, sizeof(std::uint64_t)), near_bytes_);
        return place;
    }

    const NodeSections& sections_;
    section::Ring ring_;           // of the own section
    std::size_t near_bytes_;       // beside a notice
    std::size_t near_at_ = 0;      // where they begin, in this epoch
    std::size_t near_used_ = 0;    // beside the own notice, of this epoch
    NodePages pages_;              // of the own section
    std::uint64_t pages_turn_ = 0; // of epochs, in which this rank last could bring some
};

} // namespace switchyard::algorithms
