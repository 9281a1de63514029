#include "led_calls.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace switchyard::shim {

LedCalls::LedCalls(std::vector<Announcement> heard, int world_rank, log::SlotReader& reader, MergeDesk& desk)
    : members_(std::move(heard)), world_rank_(world_rank), reader_(reader), desk_(desk) {
    find_communicators();
    if (communicators_.empty()) return;
    slots_.resize(MergeDesk::questions * slots_at_once_);
    const auto room = bytes_in_windows / sizeof(log::MergedCall) / communicators_.size();
    calls_in_window_ = std::clamp<std::size_t>(room, 16, 4096);
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
        heads_.emplace(communicators_[i].first_begin, i);
        calls_ += communicators_[i].last_sequence;
    }
}

void LedCalls::find_communicators() {
    const auto order = [this](const Announcement& one) {
        return std::tuple(one.key, one.world_rank != world_rank_, one.rank);
    };
    std::ranges::sort(members_, {}, order);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const auto& member = members_[i];
        const bool is_known = !communicators_.empty() && communicators_.back().key == member.key;
        if (!is_known && member.world_rank != world_rank_) {
            lost_ += member.slots;
            continue;
        }
        if (!is_known) {
            auto& led = communicators_.emplace_back();
            led.key = member.key;
            led.number = member.number;
            led.first_member = i;
            led.first_begin = UINT64_MAX;
        }
        communicators_.back().end_of_members = i + 1;
        join(member);
    }
}

void LedCalls::join(const Announcement& member) {
    auto& led = communicators_.back();
    led.last_sequence = std::max(led.last_sequence, member.last_sequence);
    slots_at_once_ = std::clamp<std::size_t>(member.slots, slots_at_once_, MergeDesk::slots_at_once);
    if (member.slots > 0) led.first_begin = std::min(led.first_begin, member.first_begin);
}

const log::MergedCall* LedCalls::next() noexcept {
    while (!heads_.empty()) {
        const auto [begin, index] = heads_.top();
        auto& led = communicators_[index];
        const auto* call = led.window.next();
        if (call != nullptr && call->begin == begin) return call;
        heads_.pop(); // makes room in the queue for the next head
        while (call == nullptr && refill(led)) call = led.window.next();
        if (call != nullptr)
            heads_.emplace(call->begin, index);
        else
            led.window.close();
    }
    return nullptr;
}

void LedCalls::advance() noexcept {
    communicators_[heads_.top().second].window.advance();
}

bool LedCalls::refill(Communicator& led) noexcept {
    if (led.next_sequence > led.last_sequence) return false;
    const auto calls = std::min<std::size_t>(led.last_sequence - led.next_sequence + 1, calls_in_window_);
    try {
        led.window.open(led.number, led.next_sequence, calls);
    } catch (...) {
        failed_ = true;
        led.next_sequence = led.last_sequence + 1;
        return false;
    }
    add_own(led);
    add_others(led);
    led.next_sequence = led.window.last() + 1;
    return true;
}

void LedCalls::add_own(Communicator& led) noexcept {
    const int rank = members_[led.first_member].rank;
    std::size_t count = 0;
    do {
        count = reader_.read(led.number, led.window.last(), slots_.data(), slots_at_once_);
        for (std::size_t i = 0; i < count; ++i) led.window.add(slots_[i], rank, true);
    } while (count == slots_at_once_);
}

// Several members are asked at once: one member's answer is on its way while another
// member's answer is added.
void LedCalls::add_others(Communicator& led) noexcept {
    std::array<Announcement*, MergeDesk::questions> asked{};
    auto next = led.first_member + 1;
    std::size_t waiting = 0;
    const auto ask_next = [&](std::size_t question) {
        while (next < led.end_of_members && members_[next].slots == 0) ++next;
        if (next == led.end_of_members) return;
        asked[question] = &members_[next++];
        ask(question, *asked[question], led);
        ++waiting;
    };
    for (std::size_t question = 0; question < MergeDesk::questions; ++question) ask_next(question);
    while (waiting > 0) {
        std::size_t bytes = 0;
        const auto question = desk_.wait(bytes);
        const auto count = bytes / sizeof(log::Slot);
        const auto* slots = slots_.data() + question * slots_at_once_;
        auto& member = *asked[question];
        for (std::size_t i = 0; i < count; ++i) led.window.add(slots[i], member.rank, false);
        member.slots -= std::min<std::uint64_t>(count, member.slots);
        if (count == slots_at_once_ && member.slots > 0) {
            ask(question, member, led);
        } else {
            --waiting;
            ask_next(question);
        }
    }
}

void LedCalls::ask(std::size_t question, const Announcement& member, const Communicator& led) noexcept {
    const auto most = std::min<std::uint64_t>(slots_at_once_, member.slots);
    const MergeRequest request{MergeRequest::slots, member.number, led.window.last(),
                               static_cast<std::uint32_t>(most)};
    desk_.ask(question, member.world_rank, request, slots_.data() + question * slots_at_once_);
}

} // namespace switchyard::shim
