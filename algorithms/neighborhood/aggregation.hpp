// What `aggregated` prepares for a communicator: its routes, and room for every message.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "chunks.hpp"
#include "routes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::algorithms::neighborhood {

inline constexpr std::int64_t usual_limit = 1024; // bytes
// No message is longer, so both sides know that it is a single message of MPI.
inline constexpr std::size_t largest_aggregate = Wire::largest_message;

// Bytes from which on a block goes directly. The same on all ranks.
inline std::size_t limit_of(const Group& group, const Parameters& parameters) {
    if (!group.neighborhood->knows_edges) return 0;
    const std::int64_t given = parameters[Parameter::direct_from];
    const auto limit = static_cast<std::size_t>(given == absent ? usual_limit : given);
    const std::size_t share = largest_aggregate / std::max<std::size_t>(group.neighborhood->edges_of_all, 1);
    return std::max<std::size_t>(std::min(limit, share > sizeof(Size) ? share - sizeof(Size) : 1), 1);
}

// Room for one message.
struct Room {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;

    Room(int blocks, std::size_t limit)
        : size(static_cast<std::size_t>(blocks) * (sizeof(Size) + limit - 1)) {
        bytes.reset(new std::byte[size]); // without touching it
    }
};

template <typename Messages>
std::vector<Room> rooms_for(const Messages& messages, std::size_t limit) {
    std::vector<Room> rooms;
    for (const auto& message : messages) {
        if constexpr (requires { message.number; })
            rooms.emplace_back(message.number, limit);
        else
            rooms.emplace_back(message.blocks, limit);
    }
    return rooms;
}

class Aggregation : public Schedule {
  public:
    Aggregation(const Group& group, const Parameters& parameters, bool copies)
        : routes(group, copies), limit(limit_of(group, parameters)),
          collected(rooms_for(routes.collected, limit)), from_sources(rooms_for(routes.from_sources, limit)),
          carried(rooms_for(routes.carried, limit)), arrived(rooms_for(routes.arrived, limit)),
          to_ranks(rooms_for(routes.to_ranks, limit)), from_carriers(rooms_for(routes.from_carriers, limit)) {
    }

    const Routes routes;
    const std::size_t limit;
    const std::vector<Room> collected, from_sources, carried, arrived, to_ranks, from_carriers;
};

} // namespace switchyard::algorithms::neighborhood
