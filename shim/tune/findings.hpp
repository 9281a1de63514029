// What `switchyard doctor` finds in a survey: cliffs, and guidelines that the MPI library breaks.
#pragma once

#include "survey.hpp"

#include "policy/table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// Why a block size is slow. Times are medians over the repetitions.
struct Reason {
    const Guideline* guideline; // null: a cliff
    std::size_t block;          // where it takes the most times as long
    double us, other_us;        // native's time; of what it is compared with
    std::string beside;         // `8192 bytes`, or the words of the guideline
    double times() const { return us / other_us; }
};

// Neighbouring block sizes of a series that are slow.
struct Finding {
    std::string communicator;
    Shape shape;
    std::vector<std::size_t> blocks; // ascending
    policy::Range range;             // of blocks: up to the middle between a slow and a healthy size
    std::vector<std::size_t> beside; // the healthy sizes before and after it, where there are
    std::vector<Reason> reasons;     // the cliff first; at least one
    const Reason& worst() const;     // of the reasons
    std::string text() const;        // `alltoallv of 8 ranks on 1 node, blocks of 1024 to 4096 bytes`
};

// The worst first. A reason holds in each repetition, by the figures of doctor_limits.
std::vector<Finding> findings_in(const Survey& survey);
// Those that a second survey has, too.
std::vector<Finding> confirmed(const std::vector<Finding>& findings, const std::vector<Finding>& second);
std::string text_of(const Reason& reason);

// Points to measure candidates at: the first, the last and the worst size of a finding, and one between.
std::vector<Point> points_of(const Finding& finding);

} // namespace switchyard::shim::tune
