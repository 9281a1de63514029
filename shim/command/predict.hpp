// `switchyard predict`: times of algorithms by a model of a machine.
#pragma once

#include "commands.hpp"
#include "shim/predict/crossover.hpp"
#include "shim/predict/predict.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace switchyard::shim::command {

struct PredictOptions {
    std::string machine;
    std::vector<int> ranks;
    int ranks_per_node = 1;
    std::vector<std::size_t> blocks; // empty: 16, 256, 4096, or for a map powers of two
    std::string distribution = "uniform";
    std::string collective = "alltoallv";
    std::vector<std::string>
        algorithms; // as the benchmark takes them; empty: all, with the values that tune tries
    Format format = Format::text;
    std::size_t best = 0; // lines for each point; 0: all
    std::string map;      // file of a picture that stands for the tables; "": none
};

// Prints a table for each number of ranks and size of blocks, or draws a map of them. Throws
// std::runtime_error with a sentence for people.
int predict(const PredictOptions& options);

// One setting of an algorithm at a point.
struct PredictedSetting {
    policy::Choice choice;
    std::string name; // `tuna radix=4 metadata=fused`
    predict::Prediction prediction;
    std::size_t alike = 0; // other settings of the algorithm with the same figures, which are left out
};
struct PredictedPoint {
    predict::Call call;
    double buffer_bytes, largest_block;     // of a rank; of all blocks
    std::vector<PredictedSetting> settings; // best first
};

// Padded and two-phase Bruck, where both were asked for.
struct CrossoverAt {
    int ranks;
    predict::Crossover crossover;
};
struct Predictions {
    std::string machine; // name
    std::vector<PredictedPoint> points;
    std::vector<CrossoverAt> crossovers; // by ranks
};

// In predict_forms.cpp.
void print_predictions(const Predictions& predictions, Format format, std::ostream& out);

// In predict_map.cpp: which algorithm is the fastest where, as an SVG document. Every number of ranks has the
// same blocks.
std::string map_of(const std::string& machine, const std::vector<PredictedPoint>& points);
void write_map(const std::string& machine, const std::vector<PredictedPoint>& points,
               const std::string& file);

} // namespace switchyard::shim::command
