// The ranks of a program: threads of one process.
#pragma once

#include "mailbox.hpp"

#include <cstdint>
#include <functional>

namespace switchyard::tests::threads {

// What belongs to the thread alone.
struct Rank {
    int number = 0, ranks = 0;
    std::uint64_t contexts = 1; // that its communicators have used
};
Rank& this_rank();
Mailbox& mailbox_of(int rank); // its number in the world

// Starts so many ranks, and waits for their ends. Returns the largest result.
[[gnu::visibility("default")]] int run_ranks(int ranks, const std::function<int()>& work);

} // namespace switchyard::tests::threads
