#include "node_slots.hpp"

namespace switchyard::algorithms {

NodeSlots::NodeSlots(const NodeSections& sections)
    : sections_(sections), filled_(at(sections.size())), emptied_(at(sections.size())),
      emptied_for_all_(at(sections.size())) {}

bool NodeSlots::are_emptied() const {
    for (const int local : sections_.others()) {
        const section::Emptied& counts = emptied_by(local);
        if (counts.slots.load(std::memory_order_acquire) < filled_[at(local)] ||
            counts.slots_for_all.load(std::memory_order_acquire) < filled_for_all_)
            return false;
    }
    return true;
}

bool NodeSlots::has_free_for_all(std::size_t slots) const {
    for (const int local : sections_.others())
        if (filled_for_all_ - emptied_by(local).slots_for_all.load(std::memory_order_acquire) >= slots)
            return false;
    return true;
}

void NodeSlots::fill_for_all() {
    sections_.filled(sections_.rank(), sections_.rank())
        .slots.store(++filled_for_all_, std::memory_order_release);
}

bool NodeSlots::is_filled_for_all(int writer) const {
    return sections_.filled(writer, writer).slots.load(std::memory_order_acquire) !=
           emptied_for_all_[at(writer)];
}

void NodeSlots::empty_for_all(int writer) {
    sections_.emptied(writer, sections_.rank())
        .slots_for_all.store(++emptied_for_all_[at(writer)], std::memory_order_release);
}

} // namespace switchyard::algorithms
