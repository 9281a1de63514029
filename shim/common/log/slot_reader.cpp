#include "slot_reader.hpp"

#include <algorithm>

namespace switchyard::shim::log {

SlotReader::SlotReader(Recorder& recorder)
    : recorder_(recorder), some_(std::min<std::uint64_t>(slots_at_once, recorder.slots())) {
    const auto& names = recorder.names().communicators;
    spans_.resize(names.empty() ? 1 : names.back().number + 1);
    for (std::uint64_t place = 0; const auto* slot = at(place); ++place) count(*slot, place);
}

void SlotReader::count(const Slot& slot, std::uint64_t place) {
    if (!is_possible(slot, place)) {
        ++nameless_;
        return;
    }
    auto& span = spans_[slot.communicator];
    if (span.left == 0) span.next = place;
    if (slot.kind == SlotKind::call && (span.last_sequence == 0 || slot.values[0] < span.first_begin))
        span.first_begin = slot.values[0];
    span.last_sequence = std::max(span.last_sequence, slot.sequence);
    ++span.left;
}

bool SlotReader::is_possible(const Slot& slot, std::uint64_t place) const noexcept {
    return is_possible_sequence(slot.sequence, place + recorder_.dropped()) &&
           (slot.communicator == Slot::no_communicator
                ? slot.kind == SlotKind::counted
                : recorder_.names().communicator(slot.communicator) != nullptr);
}

const Slot* SlotReader::at(std::uint64_t place) noexcept {
    if (place < first_ || place >= first_ + held_) {
        if (place >= recorder_.slots()) return nullptr;
        first_ = place;
        held_ = recorder_.read(place, some_.data(), some_.size());
        if (held_ == 0) return nullptr;
    }
    return &some_[place - first_];
}

std::size_t SlotReader::read(std::uint32_t communicator, std::uint32_t last, Slot* into,
                             std::size_t most) noexcept {
    if (communicator >= spans_.size()) return 0;
    auto& span = spans_[communicator];
    std::size_t done = 0;
    for (; span.left > 0 && done < most; ++span.next) {
        const auto* slot = at(span.next);
        if (slot == nullptr) span.left = 0; // the file failed since it was counted
        if (slot == nullptr) break;
        if (slot->communicator != communicator || !is_possible(*slot, span.next)) continue;
        if (slot->sequence > last) break;
        into[done++] = *slot;
        --span.left;
    }
    return done;
}

} // namespace switchyard::shim::log
