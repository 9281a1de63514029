#include "comm_devices.hpp"

#include <bit>

namespace switchyard::shim {

void CommDevices::ask(Process& self, algorithms::Comm comm) {
    constexpr std::uint32_t at_least_every = 1024;
    ++begun_;
    if (!std::has_single_bit(begun_) && begun_ % at_least_every != 0) return;
    const bool none_here = !self.devices.are_here();
    are_here_ = !algorithms::all_agree(none_here, comm);
}

device::Staging& CommDevices::staging(int most_blocks) {
    if (!staging_) staging_ = std::make_unique<device::Staging>(most_blocks, streams_);
    return *staging_;
}

bool CommDevices::reserve_staging(std::size_t most, algorithms::Comm comm) {
    const auto grow = [this](std::size_t) { return !staging_ || staging_->reserve(); };
    return agreed_staging_.reserve(most, comm, grow);
}

device::DeviceWindow& CommDevices::window(int ranks) {
    if (!window_) window_ = std::make_unique<device::DeviceWindow>(ranks, streams_);
    return *window_;
}

void CommDevices::release() {
    window_.reset();
    staging_.reset();
    streams_.release();
}

} // namespace switchyard::shim
