// Requests of persistent collectives: which collective MPI_Start starts, and how many
// bytes the rank then sends.
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

// The requests of this process. Any thread may use them at any time. MPI may give a freed request's handle to
// another request, so MPI_Request_free is caught as well.
class PersistentRequests {
  public:
    void add(MPI_Request request, const PersistentCall& call) noexcept;
    void remove(MPI_Request request) noexcept;
    // Nothing if the request is not a persistent collective, or was made while there was no log.
    std::optional<PersistentCall> find(MPI_Request request) noexcept;

  private:
    std::atomic<std::size_t> size_{0}; // all that a program without such requests looks at
    std::mutex changing_;
    std::unordered_map<MPI_Request, PersistentCall> calls_;
};

} // namespace switchyard::shim
