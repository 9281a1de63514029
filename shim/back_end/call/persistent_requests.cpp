#include "persistent_requests.hpp"

#include <new>

namespace switchyard::shim {

void PersistentRequests::add(MPI_Request request, const PersistentCall& call) noexcept {
    const std::scoped_lock lock(changing_);
    try {
        calls_.insert_or_assign(request, call);
    } catch (const std::bad_alloc&) { // its starts are not counted
    }
    size_.store(calls_.size(), std::memory_order_release);
}

void PersistentRequests::remove(MPI_Request request) noexcept {
    if (size_.load(std::memory_order_acquire) == 0) return;
    const std::scoped_lock lock(changing_);
    calls_.erase(request);
    size_.store(calls_.size(), std::memory_order_release);
}

std::optional<PersistentCall> PersistentRequests::find(MPI_Request request) noexcept {
    if (size_.load(std::memory_order_acquire) == 0) return std::nullopt;
    const std::scoped_lock lock(changing_);
    const auto found = calls_.find(request);
    if (found == calls_.end()) return std::nullopt;
    return found->second;
}

} // namespace switchyard::shim
