// The pages of a rank's section. Bringing a page takes as long as copying some thousand bytes, on some
// machines ten times as long; and once more for each reader. So a window begins with few pages. It gets more
// where a block needs them, and where its exchanges have moved so many bytes that the time for pages is a
// small part of the exchanges' time.
//
// A page that was never touched may have memory, or none yet. One call to the system gets memory for many
// pages. The system may refuse: then the section ends there. No MPI.
#pragma once

#include "node_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

class NodePages {
  public:
    NodePages() = default; // all are there
    // For a section of this process whose data before `begin` have memory: brings these pages. `last`: the
    // end of the section.
    NodePages(NodeMemory& memory, const NodeMemory::Place& place, std::byte* section, std::size_t begin,
              std::size_t last);

    bool are_all_there() const { return end_ >= last_; }
    bool were_refused() const { return were_refused_; } // the system had no memory for more
    std::size_t end() const { return end_; }
    std::size_t memory_end() const { return memory_end_; } // the end of the data that have memory
    // Gets memory up to `end`, if the system has it. Returns where the memory ends now.
    std::size_t reach(std::size_t end) {
        if (end > memory_end_ && memory_end_ < last_) get_memory(end);
        return memory_end_;
    }
    // Brings all pages before `end`, which have memory.
    void need(std::size_t end) {
        if (end > end_) [[unlikely]]
            bring(end);
    }
    // Call it after an exchange of `bytes` bytes of this rank. Of the time that an MPI takes for the
    // exchange, one in `in` nanoseconds is saved for pages.
    void save(std::size_t bytes, std::int64_t in);
    // Brings the pages that the saved time pays for. True: there are more pages now.
    bool spend();

    static constexpr std::size_t some_bytes = std::size_t{64} << 10; // at once

  private:
    void get_memory(std::size_t end);
    void bring(std::size_t end);
    void touch(std::size_t begin, std::size_t end);

    NodeMemory* memory_ = nullptr;
    NodeMemory::Place place_{};
    std::byte* section_ = nullptr;
    std::size_t end_ = SIZE_MAX, memory_end_ = SIZE_MAX, last_ = 0;
    bool were_refused_ = false;
    std::int64_t saved_ns_ = 0;
    std::int64_t some_ns_ = 0; // the time that some_bytes took when pages were last brought
};

} // namespace switchyard::algorithms
