// The benchmark's command line for what is to be measured, and its answers.
#pragma once

#include "schedule.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// Where and with what measurements are made, as the benchmark says it.
struct Place {
    std::string mpi;  // the library's version text
    std::string date; // of the run
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    std::vector<std::string> hosts;
};

// Arguments that measure all of that in one run, and print a line for each as soon as it is made.
std::vector<std::string> arguments_of(const std::vector<Work>& works);
// Arguments that measure next to nothing.
std::vector<std::string> arguments_of_probe();

// A line that the benchmark printed for a work; nothing where it is none, or does not fit the work. Throws
// std::runtime_error where the benchmark received wrong data.
std::optional<std::vector<Measurement>> measurements_in(const std::string& line, const Work& work);
std::optional<Place> place_in(const std::string& line);

} // namespace switchyard::shim::tune
