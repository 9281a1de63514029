#include "flood.hpp"

#include "watch.hpp"

#include <csignal>
#include <unistd.h>

namespace stress {

// Each collective in turn, of one number for each rank. The numbers are the call's, and of both ranks.
Counts flood(const Options& options) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto blocks = static_cast<std::size_t>(ranks);
    std::vector<int> sent(blocks), received(blocks);
    Words send, recv;
    for (int i = 0; i < ranks; ++i) {
        send.counts.push_back(1);
        send.types.push_back(MPI_INT);
        send.displacements.push_back(i);
    }
    recv = send;
    send.buffer = sent.data();
    recv.buffer = received.data();
    Words typed_send = send, typed_recv = recv;
    for (auto* words : {&typed_send, &typed_recv})
        for (int& displacement : words->displacements) displacement *= static_cast<int>(sizeof(int));
    place().ranks = ranks;
    for (std::int64_t i = 0; i < options.flood && !has_failed(); ++i) {
        const auto collective = static_cast<Collective>(i % collectives);
        const int call = static_cast<int>(i % 10'000'000) * 100;
        const bool is_typed = collective == Collective::alltoallw;
        for (std::size_t peer = 0; peer < blocks; ++peer) {
            sent[peer] = call + rank * 8 + (gathers(collective) ? 0 : static_cast<int>(peer));
            received[peer] = -1;
        }
        place().what = name_of(collective);
        must(invoke(collective, Form::plain, is_typed ? typed_send : send, is_typed ? typed_recv : recv,
                    false, MPI_COMM_WORLD, nullptr),
             name_of(collective));
        ++place().progress;
        for (int peer = 0; peer < ranks; ++peer) {
            const int expected = call + peer * 8 + (gathers(collective) ? 0 : rank);
            const int got = received[static_cast<std::size_t>(peer)];
            if (got != expected)
                fail("call %lld: %d from rank %d, expected %d", static_cast<long long>(i), got, peer,
                     expected);
        }
    }
    if (options.dies != 0 && !has_failed()) kill(getpid(), SIGKILL);
    const auto made = static_cast<unsigned long long>(options.flood);
    return {rank == 0 ? made : 0, made, 0};
}

} // namespace stress
