// The command line of switchyard-bench. No MPI.
#pragma once

#include "algorithms/traits.hpp"
#include "distributions.hpp"
#include "policy/text/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace switchyard::bench {

// `lines`: the JSON document of each measurement on one line, printed as soon as it is complete.
enum class Format : std::uint8_t { table, json, lines };

struct Options {
    algorithms::Collective collective = algorithms::Collective::alltoallv;
    std::vector<std::string> algorithms;
    bool native = true;
    std::vector<std::size_t> max_blocks;
    Distribution distribution;
    int iterations = 20;
    int warmup = 2;
    double time_limit = 0; // seconds for each contender at each size; 0: no limit
    // The number of ranks that take part, and its limit on each node. 0: all.
    int communicator_ranks = 0, communicator_ranks_per_node = 0;
    Format format = Format::table;
    std::string plot;      // file, or ""
    std::string calibrate; // file of the machine, `-` for stdout, or "": measure a collective
    std::uint64_t seed = 1;
    bool in_place = false;
    bool reads = false;     // each call includes reading all that it received
    bool phases = false;    // how long the phases inside the algorithms take
    bool cold = false;      // before each call, other memory is written
    int ranks_per_node = 0; // emulated; 0: the real hosts
    std::size_t shared_bytes = std::size_t{1} << 21;
    std::string command; // as typed
};

// The command line asks for no measurement. A text for stdout (help) or stderr, and the exit status.
struct Ended {
    std::string text;
    int status;
};

// One for each part of the command line, with `--then` between the parts. Each part starts from the defaults.
text::Result<std::vector<Options>, Ended> parse_options(int argc, char** argv);

} // namespace switchyard::bench
