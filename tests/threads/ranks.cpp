#include "ranks.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

namespace switchyard::tests::threads {

namespace {

thread_local Rank own;
std::unique_ptr<Mailbox[]> mailboxes;

} // namespace

Rank& this_rank() {
    return own;
}
Mailbox& mailbox_of(int rank) {
    return mailboxes[static_cast<std::size_t>(rank)];
}

int run_ranks(int ranks, const std::function<int()>& work) {
    mailboxes = std::make_unique<Mailbox[]>(static_cast<std::size_t>(ranks));
    std::vector<int> results(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            own = {.number = rank, .ranks = ranks};
            results[static_cast<std::size_t>(rank)] = work();
        });
    for (std::thread& thread : threads) thread.join();
    mailboxes.reset();
    return *std::ranges::max_element(results);
}

} // namespace switchyard::tests::threads
