// Calls of every sort, for whoever asks a policy.
#pragma once

#include "check.hpp"

#include "policy/match.hpp"
#include "policy/reason.hpp"

#include <vector>

namespace switchyard::fuzz {

inline std::vector<policy::Features> some_calls() {
    std::vector<policy::Features> calls;
    for (const auto& collective : algorithms::all_collectives)
        for (const int ranks : {1, 6, 64, 4096})
            for (const bool unusual : {false, true}) {
                policy::Features call;
                call.collective = collective.collective;
                call.ranks = ranks;
                call.nodes = ranks < 64 ? 1 : ranks / 32;
                call.ranks_per_node = ranks / call.nodes;
                call.max_block_bytes = unusual ? std::size_t{1} << 20U : 64;
                call.in_place = call.overlapping = unusual;
                call.devices = unusual;
                call.buffer = unusual ? policy::Buffer::device : policy::Buffer::host;
                call.staging_bytes = unusual ? 4096 : 0;
                calls.push_back(call);
            }
    return calls;
}

inline void check_choice(const policy::Shortlist& shortlist, const policy::Features& call) {
    require(!shortlist.candidates.empty(), "some candidate is left");
    const auto match = policy::choose(shortlist, call);
    require(match.candidate < shortlist.candidates.size(), "choosing cannot fail");
    require(shortlist.candidates[match.candidate].choice.algorithm != nullptr, "a choice has an algorithm");
    require(!policy::describe(shortlist.candidates[match.candidate].choice).empty(), "a choice has a name");
    require(!policy::reason_of(shortlist, match).empty(), "a choice has a reason");
}

} // namespace switchyard::fuzz
