#include "first_calls.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

constexpr double far_longer = 3; // times the usual call

} // namespace

FirstCalls::OnCommunicator* FirstCalls::on(const std::string& communicator) {
    const auto found = std::ranges::find(communicators_, communicator, &OnCommunicator::name);
    if (found != communicators_.end()) return &*found;
    if (communicators_.size() == most_communicators) {
        has_more_communicators_ = true;
        return nullptr;
    }
    return &communicators_.emplace_back(OnCommunicator{.name = communicator, .calls = {}});
}

void FirstCalls::add(const Call& call) {
    auto* const found = on(call.comm);
    if (found == nullptr) return;
    ++found->number;
    auto& calls = found->calls;
    if (calls.size() == most_calls) {
        found->has_more = true;
        if (call.sequence >= calls.back().sequence) return;
        calls.pop_back();
    }
    const auto place = std::ranges::upper_bound(calls, call.sequence, {}, &One::sequence);
    calls.insert(place,
                 One{call.sequence, static_cast<float>(call.time_mean), static_cast<float>(call.time_min)});
}

double FirstCalls::calls_on_each() const {
    double calls = 0;
    for (const auto& on : communicators_) calls += static_cast<double>(on.number);
    return communicators_.empty() ? 0 : calls / static_cast<double>(communicators_.size());
}

std::size_t FirstCalls::slow_calls(const OnCommunicator& on, double limit_us) {
    const auto is_usual = [limit_us](const One& call) {
        return static_cast<double>(call.mean_us) <= limit_us;
    };
    return static_cast<std::size_t>(std::ranges::find_if(on.calls, is_usual) - on.calls.begin());
}

void FirstCalls::add_slow(SlowStart& start, const One& call, double usual_us) {
    const auto took = static_cast<double>(call.mean_us), beyond = took - usual_us;
    start.least_us = start.calls == 0 ? took : std::min(start.least_us, took);
    start.most_us = std::max(start.most_us, took);
    start.cost_us += beyond;
    start.waiting_us += std::clamp(took - static_cast<double>(call.fastest_us), 0.0, beyond);
    ++start.calls;
}

SlowStart FirstCalls::slower_than(double usual_us) const {
    SlowStart start;
    if (usual_us <= 0) return start;
    for (const auto& on : communicators_) {
        const std::size_t slow = slow_calls(on, far_longer * usual_us);
        for (std::size_t i = 0; i < slow; ++i) add_slow(start, on.calls[i], usual_us);
        if (slow > 0) ++start.communicators;
        if (slow == on.calls.size() && on.has_more) start.goes_on = true;
        if (slow > 0 && &on == &communicators_.back() && has_more_communicators_) start.goes_on = true;
    }
    return start;
}

} // namespace switchyard::shim::report
