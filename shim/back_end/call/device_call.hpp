// A call in a process that can have device memory: the places of its buffers, whether they can be read, and
// the same call on copies in host memory. Other ranks need not know.
#pragma once

#include "call_context.hpp"
#include "packing.hpp"
#include "shim/back_end/arguments/blocks.hpp"
#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/device/devices.hpp"

#include <optional>

namespace switchyard::shim {

class DeviceCall {
  public:
    // May throw.
    DeviceCall(const CallArgs& call, CommState& state, Process& self);

    // Some buffer is in device memory, or in memory that the driver moves there.
    bool is_on_device() const { return sent_at_.is_device() || received_at_.is_device(); }
    // The host cannot touch some buffer.
    bool is_out_of_reach() const;
    // False: some buffer is not the device's and cannot be read, since it was freed.
    bool is_readable() const;
    // The MPI library takes these buffers.
    bool mpi_takes_them() const;

    // Whether this rank can take part in copies between the memory of GPUs. `packs`: Packing::packs().
    device::DeviceWindow::Readiness mapping(bool packs) const noexcept;

    std::size_t staging_bytes() const { return staging_.bytes(); }
    device::Staging& staging() { return staging_; }
    std::uintptr_t send_distance() const;
    std::uintptr_t recv_distance() const { return staging_.recv_distance(); }

    // The call on the copies. After staging().reserve().
    CallArgs on_copies() const;
    // Copies blocks to the device while the algorithm runs, where it pays.
    void watch_completions(algorithms::Wire& wire, std::uint64_t chunk);
    // Copies the own block for an algorithm that touches no bytes. False: the copy failed.
    bool copy(const Packing::OwnBlock& own);

  private:
    const CallArgs& call_;
    CommState& state_;
    Process& self_;
    const device::Runtime& runtime_;
    Blocks sent_, received_;
    device::Location sent_at_, received_at_;
    device::Staging& staging_;
};

// Finds out where the buffers of a call are, in a process that has a driver. False: this rank
// has no memory to find out.
bool locate_buffers(const CallContext& context, std::optional<DeviceCall>& device,
                    log::CallRecord& record) noexcept;

// The same for any process; the record says where the buffers are.
inline bool look_at_buffers(const CallContext& context, std::optional<DeviceCall>& device,
                            log::CallRecord& record) noexcept {
    return !context.self.devices.are_here(record.begin) || locate_buffers(context, device, record);
}

} // namespace switchyard::shim
