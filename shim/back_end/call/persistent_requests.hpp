// Requests of persistent collectives: which collective MPI_Start starts, and how many bytes the rank sends by
// it.
#pragma once

#include "shim/entry/counted.hpp"

#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace switchyard::shim {

// A persistent collective, as `MPI_X_init` made it. Its arguments stay the same until the request is freed.
struct PersistentCall {
    Counted start; // `alltoall_start`
    bool large_count = false;
    std::uint32_t ranks = 0;
    std::uint64_t bytes = 0; // that this rank sends each time
};

// Of this process. Any thread, at any time. MPI may give the handle of a freed request to another one, so
// MPI_Request_free is caught, too.
class PersistentRequests {
  public:
    void add(MPI_Request request, const PersistentCall& call) noexcept;
    void remove(MPI_Request request) noexcept;
    // Nothing where the request is no persistent collective, or was made while there was no log.
    std::optional<PersistentCall> find(MPI_Request request) noexcept;

  private:
    std::atomic<std::size_t> size_{0}; // what a program without such requests looks at
    std::mutex changing_;
    std::unordered_map<MPI_Request, PersistentCall> calls_;
};

} // namespace switchyard::shim
