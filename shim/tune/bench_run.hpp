// Command lines for the benchmark, and its answers.
#pragma once

#include "launch.hpp"
#include "schedule.hpp"

#include <functional>
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

// Launches the benchmark, which prints an answer in a line of its own for each part of `words`. `take` gets the
// lines, with the number of the answer that is due, and says whether the line is it. `show` is called several
// times a second. The result says whether the time limit (seconds; 0: none) ended it. Throws Stopped, or
// std::runtime_error with a sentence for people: the launcher fails, or answers are missing.
Launched ask(
    const std::vector<std::string>& words, double time_limit, std::size_t answers,
    const std::function<bool(const std::string& line, std::size_t answer)>& take,
    const std::function<void(std::size_t answers)>& show = [](std::size_t) {});

// The measurements in a line of the benchmark. Nothing: the line is no answer, or it belongs to another work.
// Throws std::runtime_error if the benchmark received wrong data.
std::optional<std::vector<Measurement>> measurements_in(const std::string& line, const Work& work);
std::optional<Place> place_in(const std::string& line);

} // namespace switchyard::shim::tune
