// Which rule of a policy takes which calls, over ranks and blocks.
#pragma once

#include "policy/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Calls of one number of ranks, blocks of one power of two.
struct Covered {
    std::optional<std::size_t> rule; // from 0, of the largest block; none: `otherwise`
    bool native = true;              // runs, whoever decides
    bool falls_back = false;         // some rule matches that cannot run here
    bool mixed = false;              // smaller blocks of that power of two are treated otherwise
    std::string algorithm;           // with its parameters
};

struct Coverage {
    int ranks_per_node = 1;
    std::vector<int> ranks;           // rows
    std::vector<unsigned> block_bits; // columns: blocks of up to 2^bits bytes
    struct Table {
        policy::Collective collective;
        std::vector<std::vector<Covered>> rows; // by place in `ranks` and `block_bits`
    };
    std::vector<Table> tables; // one per collective
};

// Host buffers, not in place, nodes as full as `ranks_per_node` allows.
Coverage coverage_of(const policy::Policy& policy, int ranks_per_node, std::vector<int> ranks,
                     std::vector<unsigned> block_bits);

// Powers of two up to 8192 ranks, and the blocks of up to 2^24 bytes.
std::vector<int> usual_ranks();
std::vector<unsigned> usual_block_bits();

} // namespace switchyard::shim::report
