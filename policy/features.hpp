// What a policy may look at: the facts of one call that are the same on all its ranks.
#pragma once

#include "../algorithms/traits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace switchyard::policy {

using algorithms::Collective;

enum class Buffer : std::uint8_t { host, device };
inline constexpr std::array buffer_names = {std::string_view{"host"}, std::string_view{"device"}};

struct Features {
    Collective collective = Collective::alltoallv;
    int ranks = 1;          // of the call's communicator
    int nodes = 1;          // that hold ranks of this communicator
    int ranks_per_node = 1; // the largest number of them on one node
    // Those of one node have memory that they share, or can have. Known before the first call of a communicator
    // where anything would use it; where nothing is known, one hopes.
    bool shared_memory = true;
    bool in_place = false; // MPI_IN_PLACE was passed, or buffers overlap
    // Send and receive buffers overlap on some rank, which MPI forbids and only some algorithms can serve.
    bool overlapping = false;
    // Some rank's process can have device memory. Where none can, every buffer is `host` and nobody has to ask.
    // Where nothing is known, one is careful.
    bool devices = true;
    Buffer buffer = Buffer::host;    // `device` where any rank's send or receive buffer is
    bool gpu_aware = false;          // the MPI takes the device buffers of every rank that has some
    std::size_t staging_bytes = 0;   // host memory that staging them takes on the rank that takes most
    std::size_t max_block_bytes = 0; // largest block that any rank sends to any other
};

inline algorithms::GroupShape shape_of(const Features& features) {
    return {features.ranks, features.nodes, features.ranks_per_node};
}

} // namespace switchyard::policy
