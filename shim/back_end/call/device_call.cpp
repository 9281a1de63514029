#include "device_call.hpp"

#include "shim/back_end/device/reachable.hpp"

#include <algorithm>
#include <array>

namespace switchyard::shim {

using device::Location;
using device::Memory;

namespace {

// The first significant byte of a buffer decides its kind. MPI libraries do the same.
Location locate(const device::Devices& devices, const Blocks& blocks) {
    for (int i = 0; i < blocks.number(); ++i)
        if (blocks.size(i) > 0) return devices.locate(reinterpret_cast<const void*>(blocks.span(i).offset));
    return {};
}

// The address range of all blocks.
algorithms::Block hull_of(const Blocks& blocks) {
    std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
    for (int i = 0; i < blocks.number(); ++i) {
        if (blocks.size(i) == 0) continue;
        const auto span = blocks.span(i);
        begin = std::min(begin, span.offset);
        end = std::max(end, span.offset + span.size);
    }
    return {begin, end > begin ? end - begin : 0};
}

void* moved(void* buffer, std::uintptr_t distance) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) + distance);
}

} // namespace

DeviceCall::DeviceCall(const CallArgs& call, CommState& state, Process& self)
    : call_(call), state_(state), self_(self), runtime_(*self.devices.runtime()),
      sent_(Blocks::sent(call, state.peers(call.collective), state.types())),
      received_(Blocks::received(call, state.peers(call.collective), state.types())),
      sent_at_(locate(self.devices, sent_)), received_at_(locate(self.devices, received_)),
      staging_(state.devices().staging(state.most_blocks())) {
    // In place both sides are one buffer.
    if (call.in_place() && !sent_at_.is_device()) sent_at_ = received_at_;
    staging_.describe(runtime_, {sent_, sent_at_, sent_at_.is_device()},
                      {received_, received_at_, received_at_.is_device()}, call.in_place());
}

bool DeviceCall::is_out_of_reach() const {
    return sent_at_.memory == Memory::device || received_at_.memory == Memory::device;
}

bool DeviceCall::is_readable() const {
    std::array<const void*, 4> ends{};
    std::size_t count = 0;
    const auto add = [&](const Blocks& blocks, const Location& location) {
        if (location.known) return;
        const auto hull = hull_of(blocks);
        if (hull.size == 0) return;
        ends[count++] = reinterpret_cast<const void*>(hull.offset);
        ends[count++] = reinterpret_cast<const void*>(hull.offset + hull.size - 1);
    };
    add(sent_, sent_at_);
    add(received_, received_at_);
    return device::are_readable(std::span(ends).first(count));
}

bool DeviceCall::mpi_takes_them() const {
    if (!is_on_device()) return true;
    const auto& location = received_at_.is_device() ? received_at_ : sent_at_;
    return self_.mpi_support.takes(runtime_, location, self_.settings.gpu_aware());
}

device::DeviceWindow::Readiness DeviceCall::mapping(bool packs) const noexcept {
    using enum device::DeviceWindow::Readiness;
    const bool has_bytes = hull_of(sent_).size > 0 || hull_of(received_).size > 0;
    if (packs || (has_bytes && !is_on_device())) return unable;
    std::size_t bytes = 0;
    for (int i = 0; i < sent_.number(); ++i) bytes += sent_.size(i);
    try {
        auto& window = state_.devices().window(state_.ranks());
        window.describe(runtime_, bytes, sent_at_, received_at_);
        return window.readiness();
    } catch (...) { // no memory; the other ranks wait for this rank's answer
        return unable;
    }
}

std::uintptr_t DeviceCall::send_distance() const {
    return call_.in_place() ? staging_.recv_distance() : staging_.send_distance();
}

CallArgs DeviceCall::on_copies() const {
    CallArgs copy = call_;
    if (!call_.in_place()) copy.send.buffer = moved(call_.send.buffer, send_distance());
    copy.recv.buffer = moved(call_.recv.buffer, recv_distance());
    return copy;
}

void DeviceCall::watch_completions(algorithms::Wire& wire, std::uint64_t chunk) {
    if (!received_at_.is_device() || !received_.are_dense()) return;
    staging_.watch_completions(received_, static_cast<std::size_t>(chunk));
    wire.tell(&staging_);
}

bool DeviceCall::copy(const Packing::OwnBlock& own) {
    const auto& location = received_at_.is_device() ? received_at_ : sent_at_;
    auto& streams = state_.devices().streams();
    return own.bytes == 0 || (streams.copy(location, own.to, own.from, own.bytes) && streams.wait());
}

bool locate_buffers(const CallContext& context, std::optional<DeviceCall>& device,
                    log::CallRecord& record) noexcept {
    try {
        device.emplace(context.call, context.state, context.self);
    } catch (...) {
        return false;
    }
    record.on_device = device->is_on_device();
    return true;
}

} // namespace switchyard::shim
