// The calls of another leader, which rank 0 fetches some at a time. Most leaders have few calls, so it asks
// for few at first.
#pragma once

#include "merge_desk.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace switchyard::shim {

class FarCalls {
  public:
    // `most`: calls in memory. May throw.
    FarCalls(int leader, std::size_t most, MergeDesk& desk) : leader_(leader), desk_(desk), some_(most) {}

    const log::MergedCall* next() noexcept { // null: there are no more
        if (at_ == held_ && !ended_) fetch();
        return at_ < held_ ? &some_[at_] : nullptr;
    }
    void advance() noexcept { ++at_; }

    static constexpr std::size_t most_at_once = MergeDesk::calls_at_once;

  private:
    void fetch() noexcept {
        const auto most = std::min(some_.size(), wanted_);
        const MergeRequest request{MergeRequest::calls, 0, 0, static_cast<std::uint32_t>(most)};
        std::size_t bytes = 0;
        desk_.ask(0, leader_, request, some_.data());
        desk_.wait(bytes);
        held_ = bytes / sizeof(log::MergedCall);
        ended_ = held_ < most;
        at_ = 0;
        wanted_ = 2 * most;
    }

    int leader_;
    MergeDesk& desk_;
    std::vector<log::MergedCall> some_;
    std::size_t wanted_ = MergeDesk::calls_in_message;
    std::size_t at_ = 0, held_ = 0;
    bool ended_ = false;
};

} // namespace switchyard::shim
