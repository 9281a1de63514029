#include "communicators.hpp"

#include "comm_state.hpp"

#include <algorithm>
#include <utility>

namespace switchyard::shim {

void Communicators::reserve() {
    std::lock_guard lock(mutex_);
    states_.reserve(states_.size() + 1);
}

void Communicators::add(CommState& state) {
    std::lock_guard lock(mutex_);
    states_.push_back(&state);
}

void Communicators::keep(CommState& state) {
    if (!state.retire()) return;
    counts_.seen += state.log().calls().seen;
    counts_.routed += state.log().calls().routed;
}

void Communicators::retire(CommState& state) {
    std::lock_guard lock(mutex_);
    std::erase(states_, &state);
    keep(state);
}

CallCounts Communicators::retire_all() {
    CommState::forget_last();
    const std::lock_guard lock(mutex_);
    for (auto* state : std::exchange(states_, {})) keep(*state);
    return counts_;
}

std::uint64_t Communicators::offer_tag() {
    const auto ranks =
        static_cast<std::uint64_t>(process_.world_ranks); // without a world nobody uses the tag
    return ++turn_ * ranks + static_cast<std::uint64_t>(process_.world_rank);
}

int Communicators::take_tag(std::uint64_t number) {
    constexpr int first = 16; // start and end of the run use the lower ones
    if (process_.largest_message_tag() < first + algorithms::Wire::tags) return 0;
    const auto turn = number / static_cast<std::uint64_t>(process_.world_ranks);
    for (auto known = turn_.load(); known < turn && !turn_.compare_exchange_weak(known, turn);) {
    }
    constexpr int step = algorithms::Wire::tags;
    const auto wires = static_cast<std::uint64_t>((process_.largest_message_tag() - first) / step);
    const auto tag = first + step * static_cast<int>(number % wires);
    const std::lock_guard lock(mutex_);
    return living_tags_.insert(tag).second ? tag : 0;
}

void Communicators::give_back(int tag) {
    const std::lock_guard lock(mutex_);
    living_tags_.erase(tag);
}

} // namespace switchyard::shim
