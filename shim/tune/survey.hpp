// A survey: the time of the MPI library's own collectives over a ladder of block sizes, on several
// communicators, in repetitions.
#pragma once

#include "bench_run.hpp"
#include "machine.hpp"
#include "point.hpp"

#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// What an MPI library should keep to: `collective` takes at most `most` times as long as the same exchange by
// other functions (Träff, Gropp, Thakur: Self-consistent MPI performance guidelines, TPDS 2010).
struct Guideline {
    policy::Collective collective;
    std::string contender; // of the benchmark
    double most;
    std::string words; // `MPI_Alltoallv with equal counts`
};
const std::vector<Guideline>& guidelines();

// One block size. Values are by repetition.
struct SurveyStep {
    std::size_t block = 0;
    std::vector<double> native_us;  // medians
    std::vector<double> fastest_us; // native's fastest call: a busy machine slows only other calls
    // Native's time / the contender's, by contender: the median of the iterations, or native's fastest call
    // over the contender's median, whichever is less.
    std::map<std::string, std::vector<double>> over;
};

// A collective on a communicator; the steps ascend.
struct Series {
    std::string communicator; // `all ranks`
    Shape shape;
    std::vector<SurveyStep> steps;
};

struct Survey {
    Place place;
    double seconds = 0, launch_seconds = 0; // all of it; what a launch takes
    std::vector<Series> series;
};

struct SurveyRequest {
    std::vector<policy::Collective> collectives; // empty: all
    std::vector<std::size_t> blocks;             // empty: the usual ladder
    double seconds = 60;                         // that the measurements may take
};

// A communicator as the benchmark makes it.
struct Members {
    std::string name;
    int ranks = 0, ranks_per_node = 0;
};
// All ranks, half of them, those of a node, one of each node, a small odd number: each set of ranks once.
std::vector<Members> communicators_in(const Place& world);
// The usual ladder: powers of two, as far as the blocks of all ranks take little memory.
std::vector<std::size_t> ladder_for(int ranks);

// Throws Stopped, or std::runtime_error with a sentence for people.
Survey survey(const Machine& machine, const SurveyRequest& request);

} // namespace switchyard::shim::tune
