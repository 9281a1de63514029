// Command lines for the benchmark, and its answers.
#pragma once

#include "schedule.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// The MPI and the machine of the measurements, as the benchmark reports them.
struct Place {
    std::string mpi;  // the library's version text
    std::string date; // of the run
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    std::vector<std::string> hosts;
};

// The arguments of one run that measures all works. It prints a line for each work as soon as it is measured.
std::vector<std::string> arguments_of(const std::vector<Work>& works);
// The arguments of the shortest possible run, whose answer has the place.
std::vector<std::string> arguments_of_probe();

// The measurements in a line of the benchmark. Nothing: the line is no answer, or it belongs to another work.
// Throws std::runtime_error if the benchmark received wrong data.
std::optional<std::vector<Measurement>> measurements_in(const std::string& line, const Work& work);
std::optional<Place> place_in(const std::string& line);

} // namespace switchyard::shim::tune
