// The command line of switchyard-bench. No MPI.
#pragma once

#include "algorithms/traits.hpp"
#include "distributions.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace switchyard::bench {

// `lines`: the JSON document of each measurement on a line of its own, as soon as it is complete.
enum class Format : std::uint8_t { table, json, lines };

struct Options {
    algorithms::Collective collective = algorithms::Collective::alltoallv;
    std::vector<std::string> algorithms;
    bool native = true;
    std::vector<std::size_t> max_blocks;
    Distribution distribution;
    int iterations = 20;
    int warmup = 2;
    double time_limit = 0; // seconds for each contender at each size; 0: none
    // The ranks that take part: so many, and no more than so many of each node. 0: all.
    int communicator_ranks = 0, communicator_ranks_per_node = 0;
    Format format = Format::table;
    std::string plot; // file, or ""
    std::uint64_t seed = 1;
    bool in_place = false;
    int ranks_per_node = 0; // 0: as the hosts are
    std::size_t shared_bytes = std::size_t{1} << 20;
    std::string command; // as typed
};

// The reason to end instead: a text for stdout (help) or stderr, and the exit status.
struct Ended {
    std::string text;
    int status;
};

// One for each part of the command line; `--then` stands between them. Each starts from the defaults.
std::variant<std::vector<Options>, Ended> parse_options(int argc, char** argv);

} // namespace switchyard::bench
