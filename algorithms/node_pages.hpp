// The pages of a rank's section. To bring one takes as long as to copy some thousand bytes, on some machines ten times as long;
// for each reader once more. So a window begins with few of them. It gets more where a block needs them, and where its
// exchanges have moved so many bytes that the time for pages is a small part of theirs. No MPI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

class NodePages {
  public:
    NodePages() = default; // all are there
    // Brings those before `begin`. `last`: of the section.
    NodePages(std::byte* section, std::size_t begin, std::size_t last);

    bool are_all_there() const { return end_ >= last_; }
    std::size_t end() const { return end_; }
    // Brings all pages before `end`.
    void need(std::size_t end) {
        if (end > end_) [[unlikely]]
            bring(end);
    }
    // After an exchange of so many bytes of this rank. Of the time that an MPI takes for it, one in `in` nanoseconds goes into
    // pages. True: there are more pages now.
    bool earn(std::size_t bytes, std::int64_t in);

    static constexpr std::size_t some_bytes = std::size_t{64} << 10; // at once

  private:
    void bring(std::size_t end);

    std::byte* section_ = nullptr;
    std::size_t end_ = SIZE_MAX, last_ = 0;
    std::int64_t earned_ns_ = 0;
};

} // namespace switchyard::algorithms
