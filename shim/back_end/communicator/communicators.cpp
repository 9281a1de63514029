#include "communicators.hpp"

#include "comm_state.hpp"

#include <algorithm>
#include <atomic>

namespace switchyard::shim {

namespace {

std::atomic<Communicators*> of_the_run{nullptr};

} // namespace

Communicators* Communicators::current() {
    return of_the_run.load(std::memory_order_acquire);
}

void Communicators::make_current() {
    of_the_run.store(this, std::memory_order_release);
}

Communicators* Communicators::take_current() {
    return of_the_run.exchange(nullptr);
}

void Communicators::reserve() {
    std::lock_guard lock(mutex_);
    states_.reserve(states_.size() + 1);
}

void Communicators::add(CommState& state) {
    std::lock_guard lock(mutex_);
    states_.push_back(&state);
}

void Communicators::keep(CommState& state) {
    const bool leads = state.retire();
    if (!leads) return;
    counts_.seen += state.calls().seen;
    counts_.routed += state.calls().routed;
    try {
        state.add_lessons(learned_);
    } catch (...) { // out of memory: less is learned
    }
}

void Communicators::retire(CommState& state) {
    std::lock_guard lock(mutex_);
    std::erase(states_, &state);
    keep(state);
}

CallCounts Communicators::release_all() {
    CommState::forget_last();
    std::vector<CommState*> states;
    {
        std::lock_guard lock(mutex_);
        states.swap(states_);
        for (auto* state : states) keep(*state);
    }
    // Not under the lock: to free is collective.
    std::ranges::sort(states, {}, [](const CommState* state) { return state->identity(); });
    for (auto* state : states) state->free_rails();
    return counts_;
}

} // namespace switchyard::shim
