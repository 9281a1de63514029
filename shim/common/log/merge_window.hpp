// Consecutive calls of one communicator, while the records of its ranks are added up.
#pragma once

#include "merge.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::shim::log {

class MergeWindow {
  public:
    // Starts at the call `first`. `communicator`: the number that the calls get. May
    // throw; nothing else here does.
    void open(std::uint32_t communicator, std::uint32_t first, std::size_t calls);
    std::uint32_t last() const { return first_ + static_cast<std::uint32_t>(calls_.size()) - 1; }
    // Decisions have the numbers of the merging rank. It adds its own slots first (`is_own`).
    void add(const Slot& slot, int rank_in_communicator, bool is_own) noexcept;
    // The calls that some rank recorded, in order; null: there are no more.
    const MergedCall* next() noexcept;
    void advance() noexcept { ++at_; }
    void close() noexcept { calls_ = {}; }

  private:
    std::uint32_t communicator_ = 0, first_ = 1;
    std::size_t at_ = 0;
    std::vector<MergedCall> calls_;
};

} // namespace switchyard::shim::log
