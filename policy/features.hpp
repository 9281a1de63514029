// The facts of a call that a policy may look at. They are the same on all its ranks.
#pragma once

#include "../algorithms/traits.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard::policy {

using algorithms::Collective;

enum class Buffer : std::uint8_t { host, device };
inline constexpr std::array buffer_names = {std::string_view{"host"}, std::string_view{"device"}};

// tcp: no node has a device for remote memory access, so MPI has nothing but TCP between nodes, and a message
// costs tens of microseconds of a processor's time. rdma: some node has such a device.
enum class Network : std::uint8_t { tcp, rdma };
inline constexpr std::array network_names = {std::string_view{"tcp"}, std::string_view{"rdma"}};

// Facts that hold for every call of one kind on one communicator, so nobody has to agree on them before a
// call. Pruning takes this type, so it cannot look at anything else. Communicators with equal facts share
// plans, so every member is compared.
struct FixedFeatures {
    Collective collective = Collective::alltoallv;
    int ranks = 1;                  // of the call's communicator
    int nodes = 1;                  // that hold ranks of this communicator
    int ranks_per_node = 1;         // the largest number of these ranks on one node
    Network network = Network::tcp; // between the nodes of this communicator
    // The ranks of a node share memory, or can. Found out before a communicator's first call if an algorithm
    // would use such memory; true if nobody has looked.
    bool shared_memory = true;
    bool in_place = false; // the call passes MPI_IN_PLACE, or its buffers overlap
    // Send and receive buffers overlap on some rank. MPI forbids it, and only some algorithms can serve it.
    bool overlapping = false;
    // Some rank's process can have device memory. Without such a rank every buffer is `host`, and the ranks
    // need not agree on `buffer`. True if nobody has looked.
    bool devices = true;

    auto operator<=>(const FixedFeatures&) const = default;
};

// The rest may differ from call to call.
struct Features : FixedFeatures {
    Buffer buffer = Buffer::host;  // `device` if any rank's send or receive buffer is
    bool gpu_aware = false;        // the MPI takes the device buffers of every rank that has some
    bool ipc = false;              // the ranks are on one node and can copy between the memory of their GPUs
    std::size_t staging_bytes = 0; // host memory for staging device buffers, on the rank that needs most
    std::size_t max_block_bytes = 0; // largest block that any rank sends to any other
    std::size_t total_bytes = 0;     // that a rank sends to all others, on the rank that sends most
    std::uint64_t skew = 1;          // skew_of() a rank's blocks, on the rank where it is largest
    // The mean of the blocks, rounded up, if every rank knows them and a rank sends one block to everybody.
    // Nothing: any block may be as large as the largest.
    std::optional<std::size_t> mean_block_bytes;

    auto operator<=>(const Features&) const = default; // else the base's would compare only the base
};

// The block that the workspace of an algorithm depends on (Traits::scratch_bytes).
inline std::size_t block_for_scratch(const Features& call) {
    return call.mean_block_bytes.value_or(call.max_block_bytes);
}

// The largest of `blocks` blocks over their mean, rounded down; 1 where all are empty. SABRE (ICS 2026) chooses
// by this. `sum`: of all blocks, in bytes.
constexpr std::uint64_t skew_of(std::uint64_t largest, std::uint64_t blocks, std::uint64_t sum) {
    if (sum == 0 || largest == 0) return 1;
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(static_cast<__uint128_t>(largest) * blocks / sum));
}

inline algorithms::GroupShape shape_of(const FixedFeatures& features) {
    return {features.ranks, features.nodes, features.ranks_per_node};
}

} // namespace switchyard::policy
