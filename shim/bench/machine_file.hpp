// A machine's file: what a machine's messages and copies cost, for `switchyard predict`. No MPI.
#pragma once

#include "results.hpp"

#include <limits>
#include <string>
#include <vector>

namespace switchyard::bench {

// The median of several measurements, and their median absolute deviation relative to
// it. Not finite: not known.
struct Estimate {
    double value = std::numeric_limits<double>::quiet_NaN();
    double spread = std::numeric_limits<double>::quiet_NaN();
};

// From the finite values; not known if there are none. The spread is not known if the median is 0.
Estimate estimate_of(std::vector<double> values);

// What messages cost between two ranks of different nodes, or of one node.
struct Link {
    Estimate latency_us;         // of an empty message, one way, without the overheads of both sides
    Estimate overhead_us;        // of the processor, for each message on each side: o of LogGP
    Estimate pair_bytes_per_us;  // large messages from one rank to one other
    Estimate total_bytes_per_us; // out of a node (of its NICs); among all ranks of a node (of its memory)
};

struct Packing {
    Estimate block_us;          // to copy a block, without the share of its bytes
    Estimate copy_bytes_per_us; // in the caches
};

struct MachineFile {
    std::string name;
    std::string source; // how it was measured
    Link network, node;
    Packing packing;
};

// How the values came about: command, ranks and hosts, version of MPI, date.
std::string source_of(const Options& options, const Environment& environment);

// The document: values with four significant digits, spreads to a ten-thousandth. Values and spreads that are
// not finite are left out.
std::string json_of(const MachineFile& machine);

// Sentences about values that json_of leaves out, that are 0, and that differ much between repetitions.
std::vector<std::string> doubts_about(const MachineFile& machine);

// "", or why the file cannot be written. The file is made if it is not there. `-` is stdout.
std::string why_not_writable(const std::string& path);

// Writes the document to such a file. "", or why it could not.
std::string write(const std::string& document, const std::string& path);

} // namespace switchyard::bench
