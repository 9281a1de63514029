#include "merge_window.hpp"

namespace switchyard::shim::log {

void MergeWindow::open(std::uint32_t communicator, std::uint32_t first, std::size_t calls) {
    calls_.assign(calls, {});
    communicator_ = communicator;
    first_ = first;
    at_ = 0;
}

void MergeWindow::add(const Slot& slot, int rank_in_communicator, bool is_own) noexcept {
    if (slot.sequence < first_ || slot.sequence - first_ >= calls_.size()) return;
    auto& call = calls_[slot.sequence - first_];
    const bool is_first = call.ranks_seen == 0;
    call.add(slot, rank_in_communicator);
    call.communicator = communicator_;
    if (is_first && !is_own) call.decision.value = 0; // the merging rank lost its record of the call
}

const MergedCall* MergeWindow::next() noexcept {
    while (at_ < calls_.size() && calls_[at_].ranks_seen == 0) ++at_;
    return at_ < calls_.size() ? &calls_[at_] : nullptr;
}

} // namespace switchyard::shim::log
