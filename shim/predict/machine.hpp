// The machine of a prediction, read from a JSON file (README.md, The machine file). Times are microseconds,
// rates bytes a microsecond.
//
// LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) with a NIC for each node, which its ranks share. If a
// file gives only latency and bandwidth, it is Hockney's model.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace switchyard::shim::predict {

inline constexpr double no_bound = std::numeric_limits<double>::infinity();

// Between two ranks.
struct Link {
    double latency_us = 0;
    double overhead_us = 0;        // of the processor, for each message on each side
    double pair_bytes_per_us = 0;  // one message at a time
    double eager_bytes = no_bound; // a larger message waits for its receiver, and no processor copies it
    double eager_copy_bytes_per_us = no_bound; // at which the processor copies such a message on each side
};

struct Machine {
    std::string name, source;
    Link network, node;
    double card_bytes_per_us = 0;           // of a node in each direction
    double card_messages_per_us = no_bound; // as well
    double memory_bytes_per_us = no_bound;  // of a node: what its ranks write into memory that they share
    double epoch_us = 0, neighbour_us = 0;  // ranks that share memory meet: once, and for each of them
    double block_us = 0, copy_bytes_per_us = no_bound; // packing
    double part_us = 0;             // MPI's work for a part of a derived datatype, on each side
    double message_us = 0;          // our own instructions for each message on each side
    std::uint64_t memory_bytes = 0; // of a node; 0: not known
};

// `file` is for messages. Throws std::runtime_error with a sentence for people that names the
// file and the place in it.
Machine parse_machine(const std::string& text, const std::string& file);

// `machine`: a file, or the name of an installed one. Throws like parse_machine, also
// if there is no such file.
Machine find_machine(const std::string& machine);

} // namespace switchyard::shim::predict
