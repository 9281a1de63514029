#include "pending.hpp"

#include "watch.hpp"

#include <sched.h>

namespace stress {

Pending::Pending(const Member& member, std::int64_t block_bytes, LayoutPool& pool, std::uint64_t key,
                 Stream& own)
    : waits_(own.percent(50)) {
    Stream group(key);
    kind_ = member.is_inter ? routed_too : static_cast<Kind>(group.below(kinds + 3)); // mostly these
    switch (kind_) {
    case barrier: must(MPI_Ibarrier(member.comm, &request_), "MPI_Ibarrier"); break;
    case sum: start_sum(member, group); break;
    case bcast: start_bcast(member, group); break;
    default:
        kind_ = routed_too;
        call_.emplace(member, draw_nonblocking_shape(member, block_bytes, group), pool, own);
        call_->fill(group.next());
        request_ = call_->start();
    }
}

void Pending::start_sum(const Member& member, Stream& group) {
    const auto base = group.next();
    const auto words = group.below(3000) + 1;
    for (std::uint64_t i = 0; i < words; ++i) {
        sent_.push_back(mixed(base, i, static_cast<std::uint64_t>(member.rank)));
        std::uint64_t all = 0;
        for (int rank = 0; rank < member.ranks; ++rank)
            all += mixed(base, i, static_cast<std::uint64_t>(rank));
        expected_.push_back(all);
    }
    received_.resize(words);
    must(MPI_Iallreduce(sent_.data(), received_.data(), static_cast<int>(words), MPI_UINT64_T, MPI_SUM,
                        member.comm, &request_),
         "MPI_Iallreduce");
}

void Pending::start_bcast(const Member& member, Stream& group) {
    const int root = group.between(0, member.ranks - 1);
    const auto words = group.below(3000) + 1;
    for (std::uint64_t i = 0; i < words; ++i) expected_.push_back(group.next());
    received_.resize(words);
    if (member.rank == root) received_ = expected_;
    must(MPI_Ibcast(received_.data(), static_cast<int>(words), MPI_UINT64_T, root, member.comm, &request_),
         "MPI_Ibcast");
}

void Pending::finish() {
    int done = 0;
    while (!waits_ && done == 0) {
        must(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        sched_yield();
    }
    if (waits_) must(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    if (call_) call_->check();
    if (received_ != expected_) fail("MPI_Iallreduce or MPI_Ibcast has a wrong result");
}

} // namespace stress
