// The results and their forms: table, JSON, plot. No MPI.
#pragma once

#include "contenders.hpp"
#include "options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::bench {

// One contender at one block size. All numbers are the largest over all ranks.
struct Result {
    std::size_t contender = 0;
    std::size_t max_block = 0;                     // asked for
    std::size_t largest_block = 0;                 // from any rank to another
    std::vector<double> warmup;                    // seconds of the iterations before the measured ones
    std::vector<double> seconds;                   // by iteration
    std::vector<double> warmup_baseline, baseline; // native's, in the same iterations; empty without native
    std::uint64_t messages = 0, bytes = 0, rounds = 0;
    std::uint64_t messages_inter = 0, bytes_inter = 0; // of those, to other nodes
    std::size_t scratch_bytes = 0;
    // Seconds of each phase: the mean over the ranks and the measured iterations. Empty where nobody asked, or
    // the algorithm has no phases.
    std::vector<double> phases;
    bool verified = false;

    // From the very first call on, as a program pays for them.
    std::vector<double> all_seconds() const { return joined(warmup, seconds); }
    std::vector<double> all_baseline() const { return joined(warmup_baseline, baseline); }

  private:
    static std::vector<double> joined(std::vector<double> first, const std::vector<double>& then) {
        first.insert(first.end(), then.begin(), then.end());
        return first;
    }
};

struct Environment {
    std::string mpi;
    int ranks = 1, nodes = 1, ranks_per_node = 1; // of the ranks that took part; ranks_per_node: the most
    std::vector<std::string> hosts;               // of the world
    std::string date;
    bool simulated = false;
    double elapsed_seconds = 0;   // of real time, also in a simulation
    std::uint64_t peak_bytes = 0; // of the largest process; 0: not known
};

struct Report {
    Options options;
    Environment environment;
    std::vector<Contender> contenders;
    std::vector<Result> results;

    bool is_verified() const;
    const Contender& contender_of(const Result& result) const { return contenders[result.contender]; }
};

std::string table_of(const Report& report);
std::string json_of(const Report& report);

// Draws options.plot with gnuplot. "", or what went wrong.
std::string draw(const Report& report);
// The input of gnuplot.
std::string plot_script(const Report& report);

} // namespace switchyard::bench
