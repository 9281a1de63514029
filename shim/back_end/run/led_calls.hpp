// The calls of the communicators that this rank leads, merged from their members' slots, in the order of
// time. Each communicator has a window of neighbouring calls in memory.
#pragma once

#include "announcements.hpp"
#include "merge_desk.hpp"
#include "shim/common/log/merge_window.hpp"
#include "shim/common/log/slot_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace switchyard::shim {

class LedCalls {
  public:
    // May throw. `heard`: from all members, including this rank.
    LedCalls(std::vector<Announcement> heard, int world_rank, log::SlotReader& reader, MergeDesk& desk);

    std::size_t communicators() const { return communicators_.size(); }
    std::uint64_t calls() const { return calls_; } // at most
    // The next call; null: there are no more, or no memory for them. It stays valid until advance().
    const log::MergedCall* next() noexcept;
    void advance() noexcept;
    bool has_failed() const { return failed_; } // some calls are missing: there was no memory for them
    // Slots whose communicator has no name on this rank.
    std::uint64_t lost() const { return lost_; }

    static constexpr std::size_t bytes_in_windows = std::size_t{32} << 20;

  private:
    struct Communicator {
        std::uint32_t key = 0, number = 0; // see Announcement; the number is this rank's
        std::uint32_t last_sequence = 0, next_sequence = 1;
        std::uint64_t first_begin = 0;
        std::size_t first_member = 0, end_of_members = 0; // among what was heard; this rank is the first
        log::MergeWindow window;
    };
    using Head = std::pair<std::uint64_t, std::size_t>; // begin, communicator

    void find_communicators();
    void join(const Announcement& member);
    bool refill(Communicator& led) noexcept;
    void add_own(Communicator& led) noexcept;
    void add_others(Communicator& led) noexcept;
    void ask(std::size_t question, const Announcement& member, const Communicator& led) noexcept;

    std::vector<Announcement> members_; // `slots`: how many are still to come
    int world_rank_;
    log::SlotReader& reader_;
    MergeDesk& desk_;
    std::vector<Communicator> communicators_;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
    std::size_t calls_in_window_ = 0;
    std::size_t slots_at_once_ = 1; // in an answer: as many as the member with the most slots has, at most
    std::vector<log::Slot> slots_;  // for one answer to each question; pages for more would slow the end
    std::uint64_t calls_ = 0, lost_ = 0;
    bool failed_ = false;
};

} // namespace switchyard::shim
