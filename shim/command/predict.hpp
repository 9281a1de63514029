// `switchyard predict`: times of algorithms by a model of a machine.
#pragma once

#include "commands.hpp"
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
    std::vector<std::size_t> blocks = {16, 256, 4096};
    std::string distribution = "uniform";
    std::string collective = "alltoallv";
    std::vector<std::string>
        algorithms; // as the benchmark takes them; empty: all, with the values that tune tries
    Format format = Format::text;
    std::size_t best = 0; // lines for each point; 0: all
};

// Prints a table for each number of ranks and size of blocks. Throws std::runtime_error
// with a sentence for people.
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

// In predict_forms.cpp. `name`: the machine's.
void print_predictions(const std::string& name, const std::vector<PredictedPoint>& points, Format format,
                       std::ostream& out);

} // namespace switchyard::shim::command
