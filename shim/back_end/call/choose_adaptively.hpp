// Which candidate of an adaptive use a call runs, on all ranks alike.
#pragma once

#include "shim/back_end/communicator/book.hpp"
#include "shim/back_end/communicator/comm_resources.hpp"

#include <cstdint>

namespace switchyard::shim::adaptive {

struct Question {
    CommResources& resources;
    Book& book;
    const Plan& plan;
    const policy::Match& match; // native of the adaptive use, at which the walk ended
    const policy::Features& call;
    bool agreed; // the ranks agreed on something at this call, and told each other the times that they owed
    bool rests;  // no agreement where there otherwise is one: Book::rests()
};

struct Answer {
    policy::Match match;
    std::uint64_t agree = 0; // nanoseconds, where the ranks had to tell each other times
};

// Collective at the first call of a kind, and when times are due.
Answer choose(const Question& question);

} // namespace switchyard::shim::adaptive
