#include "summary.hpp"

#include <algorithm>

namespace switchyard::shim::log {

namespace {

bool are_of_one_kind(const CallRecord& left, const CallRecord& right) {
    return left.decision == right.decision && left.collective == right.collective &&
           left.binding == right.binding && left.in_place == right.in_place &&
           left.large_count == right.large_count && left.on_device == right.on_device &&
           left.is_staged == right.is_staged;
}

} // namespace

void Summary::begin(const CallRecord& record, Recorder& recorder) {
    Sums sums{record};
    sums.first.sequence =
        static_cast<std::uint32_t>(sums_.size() + 1); // kinds appear in one order on all ranks
    for_each_slot(sums.first, [&](const Slot& slot) {
        sums.slots[static_cast<std::size_t>(slot.kind)] = recorder.keep(slot);
    });
    sums_.push_back(sums);
}

void Summary::add(const CallRecord& record, Recorder& recorder) {
    const auto same =
        std::ranges::find_if(sums_, [&](const Sums& sums) { return are_of_one_kind(sums.first, record); });
    if (same == sums_.end()) return begin(record, recorder);
    for_each_slot(record, [&](const Slot& slot) {
        if (Slot* sum = same->slots[static_cast<std::size_t>(slot.kind)]) sum->add(slot);
    });
}

} // namespace switchyard::shim::log
