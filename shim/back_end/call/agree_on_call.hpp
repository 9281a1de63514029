// What the ranks agree on at a call, if a rule looks at something that a rank does not know by itself.
#pragma once

#include "call_context.hpp"
#include "device_call.hpp"
#include "packing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace switchyard::shim {

// What a rank tells the other ranks about a call. After the agreement: the largest of each over all ranks.
struct Facts {
    std::size_t max_block = 0;
    std::size_t total_bytes = 0; // that it sends to all others
    std::uint64_t skew = 0;      // of its blocks
    bool not_ready = false;      // has no memory for packing
    bool overlapping = false;    // has buffers that overlap
    bool has_driver = false;     // its process can have device memory
    bool on_device = false;      // has a device buffer
    bool unaware = false;        // has a device buffer, and its MPI does not take it
    bool unusable = false;       // has a buffer that nobody can read
    // Whether it can take part in copies between the memory of GPUs, if a rule asks for such copies.
    device::DeviceWindow::Readiness mapping = device::DeviceWindow::Readiness::unable;
    std::size_t staging_bytes = 0;

    void take_totals(const CallContext& context); // of this rank
};

// The blocks of a call that go to other ranks.
inline std::uint64_t others_of(const CallContext& context) {
    const auto peers = context.state.peers(context.call.collective);
    return static_cast<std::uint64_t>(peers.sent - (peers.own >= 0 ? 1 : 0));
}

// What this rank knows of its device buffers by itself.
Facts facts_of(const DeviceCall& device);

// What the ranks know of a call when its choice is made.
struct Agreed {
    Facts facts{};              // of this rank only, if the ranks did not agree
    std::size_t max_block = 0;  // the same on all ranks where the plan looks at it
    bool together = false;      // the ranks agreed at this call
    Plan* plan = nullptr;       // the plan for overlapping buffers, if some rank has them
    std::uint64_t elapsed = 0;  // nanoseconds that the agreement took
    bool has_begun = false;     // an exchange in the node's memory has begun: NodeWindow::begin()
    std::optional<int> loading; // what Packing::load() returned, if it was called already
    int code = MPI_SUCCESS;     // else the call fails: on all ranks, or the communicator is broken
    bool is_reported = false;   // MPI has called the error handler
};

// Agrees with the other ranks on what the plan looks at. The largest block is agreed on only if MPI does not
// guarantee that all ranks know it. Collective if there is an agreement, which all ranks see alike.
// `has_memory`: this rank has the memory that the call needs so far.
Agreed agree_where_needed(const CallContext& context, Plan& plan, Packing& packing, const DeviceCall* device,
                          bool has_memory);

} // namespace switchyard::shim
