// GPUs on a communicator: what its ranks know of each other's, and this rank's memory for device buffers.
#pragma once

#include "algorithms/transport/messages/votes.hpp"
#include "shim/back_end/device/device_window.hpp"
#include "shim/back_end/device/staging.hpp"
#include "shim/back_end/process/process.hpp"

#include <cstdint>
#include <memory>

namespace switchyard::shim {

class CommDevices {
  public:
    // At the first call: some rank's process has a GPU's driver, or may get it later.
    void expect(bool here, bool may_come) {
        are_here_ = here;
        may_come_ = here || may_come;
    }
    // A rule looks at where buffers are.
    void matter() { matter_ = may_come_; }

    // Some rank's process has a driver, and all ranks know.
    bool are_here() const { return are_here_; }
    // Now or later: so the ranks agree on device buffers.
    bool may_come() const { return may_come_; }
    // All ranks have learned of a process with a driver.
    void meet() { are_here_ = true; }
    // Drivers may have come, and a rule would look at device buffers: so before each call's plan is asked for,
    // ask() comes.
    bool are_awaited() const { return matter_ && !are_here_; }
    // The ranks ask each other at calls 1, 2, 4, 8, ... and at every 1024th.
    void ask(Process& self, algorithms::Comm comm);

    // Host memory for device buffers, of calls with that many blocks on a side at most; made at the first need,
    // which may throw.
    device::Staging& staging(int most_blocks);
    // Makes it large enough for the described call. False on all ranks where one has no memory. `most`: bytes
    // of the rank that needs most.
    bool reserve_staging(std::size_t most, algorithms::Comm comm);
    // Device memory that that many ranks have mapped; made at the first need, which may throw.
    device::DeviceWindow& window(int ranks);
    device::Streams& streams() { return streams_; }
    // While the GPU's driver is there.
    void release();

  private:
    bool are_here_ = false, may_come_ = false, matter_ = false;
    std::uint32_t begun_ = 0; // calls that asked or could have asked
    device::Streams streams_;
    std::unique_ptr<device::Staging> staging_; // null until there is a device buffer
    std::unique_ptr<device::DeviceWindow> window_;
    algorithms::AgreedSize agreed_staging_;
};

} // namespace switchyard::shim
