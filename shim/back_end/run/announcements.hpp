// Before the final merge each rank tells the leaders of its communicators which
// records it has of their calls.
#pragma once

#include "shim/common/log/slot_reader.hpp"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace switchyard::shim {

// A rank's slots of one communicator.
struct Announcement {
    std::uint32_t key = 0;    // CommunicatorName::leader_number: which of the leader's communicators it is
    std::uint32_t number = 0; // this rank's, as in its slots
    std::int32_t world_rank = 0;
    std::int32_t rank = 0; // in the communicator
    std::uint32_t last_sequence = 0;
    std::uint32_t unused = 0;
    std::uint64_t slots = 0;
    std::uint64_t first_begin = 0;
};

// What the members of the communicators that this rank leads have told it.
struct Heard {
    std::vector<Announcement> items;
    bool is_all = false;    // else this rank had no memory for some
    std::uint64_t lost = 0; // slots of this rank in communicators whose leader is no rank of this run
};

// `has_some`: this rank has names and records to announce. False in `told_by_all`: some rank has none, so
// nobody heard anything. Collective; never throws.
Heard announce(bool has_some, const log::Names& names, const log::SlotReader* reader, MPI_Comm world,
               bool& told_by_all) noexcept;

} // namespace switchyard::shim
