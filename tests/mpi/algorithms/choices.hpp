// Which algorithms run, with which parameters, on which blocks.
#pragma once

#include "cases.hpp"
#include "test.hpp"

#include "algorithms/traits.hpp"

#include <string>
#include <vector>

namespace switchyard::tests {

using namespace algorithms;

// Every combination of the corners of the parameters that the algorithm takes, with presets for all others.
// Sampled: one parameter at a time, with presets for all others.
std::vector<Parameters> combinations(const Traits& traits, int ranks, bool sampled);

// `alltoallv:tuna radix=4`
std::string described(const Traits& traits, const Parameters& parameters);

std::vector<Case> cases_of(const Test& test, Collective collective);

// What a large simulation runs. Each message between P ranks takes the simulator a time that grows with P, so an
// exchange in which every rank sends to every other takes 10 s at 300 ranks. Ragged blocks, some of them empty,
// show most: all parameters run on them. Uniform blocks are for the formulas: alltoall and allgather have no
// others, and in alltoallv the presets of what forwards blocks run on them. alltoallw runs the functions of
// alltoallv, and allgatherv those of allgather, so they do not repeat uniform blocks, nor alltoallw parameters.
// The parameters of in_place count where buffers overlap, so they vary in check_overlaps().
bool is_worth_simulating(const Traits& traits, const Parameters& parameters, const Case& c, const Test& test);

bool can_run(const Traits& traits, const Test& test);

// Whether intra=shared does the same as intra=messages, since there is no window.
bool does_as_messages(const Parameters& parameters, const Test& test);

// `run` sees every admissible combination of algorithm and parameters, on one placement after the other.
template <typename Run>
void for_each_choice(Test& test, Collective collective, Run&& run) {
    for (const Traits& traits : all_traits()) {
        if (traits.collective != collective || !test.is_meant(traits) || !can_run(traits, test)) {
            continue;
        }
        for (const Parameters& parameters : combinations(traits, test.group.size, test.reduced)) {
            if (does_as_messages(parameters, test)) continue;
            if (traits.has(knows_nodes)) test.take_next_map();
            if (traits.has(shared_memory)) {
                test.take_one_node();
                if (test.window() == nullptr) break; // with so many ranks its memory is too small
            }
            run(traits, parameters);
        }
    }
}

} // namespace switchyard::tests
