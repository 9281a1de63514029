// Nonblocking collectives that wait beside blocking ones.
#pragma once

#include "call.hpp"

#include <optional>

namespace stress {

class Pending {
  public:
    // Starts one. `key`: the same on all ranks.
    Pending(const Member& member, std::int64_t block_bytes, LayoutPool& pool, std::uint64_t key, Stream& own);
    void finish(); // says what is wrong

  private:
    enum Kind { barrier, sum, bcast, routed_too, kinds };

    void start_sum(const Member& member, Stream& group);
    void start_bcast(const Member& member, Stream& group);

    Kind kind_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::optional<Call> call_;
    std::vector<std::uint64_t> sent_, received_, expected_;
    bool waits_; // else it tests
};

} // namespace stress
