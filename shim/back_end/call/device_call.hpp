// A call in a process that can have device memory: where its buffers are, whether anybody can read them, and the
// same call on copies in host memory. All of this is this rank's own affair.
#pragma once

#include "packing.hpp"
#include "passage.hpp"
#include "shim/back_end/arguments/blocks.hpp"
#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/device/devices.hpp"

#include <optional>

namespace switchyard::shim {

class DeviceCall {
  public:
    // May throw.
    DeviceCall(const CallArgs& call, CommState& state, Process& self);

    // Some buffer is a device's, or one that the driver moves there.
    bool is_on_device() const { return sent_at_.is_device() || received_at_.is_device(); }
    // Some buffer is out of the host's reach.
    bool is_out_of_reach() const;
    // False: some buffer is the host's as far as the driver knows, and cannot be read: it was freed.
    bool is_readable() const;
    // Whether the MPI takes buffers like these.
    bool mpi_takes_them() const;

    std::size_t staging_bytes() const { return staging_.bytes(); }
    device::Staging& staging() { return staging_; }
    std::uintptr_t send_distance() const;
    std::uintptr_t recv_distance() const { return staging_.recv_distance(); }

    // The call on the copies. After staging().reserve().
    CallArgs on_copies() const;
    // Tells of landings while an algorithm runs; where nothing is to be gained, nobody is told.
    void watch_landings(algorithms::Wire& wire, std::uint64_t chunk);
    // Copies what an algorithm that moves nothing itself leaves to us; false where that fails.
    bool copy(const Packing::OwnBlock& own);

  private:
    const CallArgs& call_;
    Process& self_;
    const device::Runtime& runtime_;
    Blocks sent_, received_;
    device::Location sent_at_, received_at_;
    device::Staging& staging_;
};

// In a process that can have device memory: finds out where this call's buffers are, and says so in the record. False: this
// rank has no memory to find out.
bool look_at_buffers(const Passage& passage, std::optional<DeviceCall>& device,
                     log::CallRecord& record) noexcept;

} // namespace switchyard::shim
