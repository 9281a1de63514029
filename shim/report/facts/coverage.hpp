// The coverage of a policy: which rule takes which calls, over ranks and blocks.
#pragma once

#include "policy/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Calls with one number of ranks and blocks up to one power of two.
struct Covered {
    std::optional<std::size_t> rule = {}; // for the largest block, from 0; nothing: `otherwise`
    bool native = true;                   // native runs
    bool falls_back = false;              // a rule matches but cannot run here
    bool mixed = false;                   // another rule takes smaller blocks of this power of two
    std::string algorithm = {};           // with its parameters
};

struct Coverage {
    int ranks_per_node = 1;
    std::vector<int> ranks;           // rows
    std::vector<unsigned> block_bits; // columns: blocks of up to 2^bits bytes
    struct Table {
        policy::Collective collective;
        std::vector<std::vector<Covered>> rows; // [place in ranks][place in block_bits]
    };
    std::vector<Table> tables; // one per collective
};

// For host buffers, not in place, and `ranks_per_node` ranks on each node but the last; for all
// collectives, or `only` one.
Coverage coverage_of(const policy::Policy& policy, int ranks_per_node, std::vector<int> ranks,
                     std::vector<unsigned> block_bits, std::optional<policy::Collective> only = std::nullopt,
                     policy::Network network = policy::Network::tcp);

// Powers of two up to 8192 ranks, and up to 2^24 bytes.
std::vector<int> usual_ranks();
std::vector<unsigned> usual_block_bits();

} // namespace switchyard::shim::report
