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

// The simulator's time grows with the cube of the partners where a rank waits for any of all partners, as
// exchanges in place do. It grows with the fourth power where all ranks send to one rank after the other, as
// `linear` does (512 ranks: more than 200 s, while spread_out takes 15 s).
bool is_too_much_to_simulate(const Traits& traits, const Test& test);

bool can_run(const Traits& traits, const Test& test);

// Whether intra=shared does the same as intra=messages, since there is no window.
bool does_as_messages(const Parameters& parameters, const Test& test);

// `run` sees every admissible combination of algorithm and parameters, on one placement after the other.
template <typename Run>
void for_each_choice(Test& test, Collective collective, Run&& run) {
    for (const Traits& traits : all_traits()) {
        const bool is_meant = test.only.empty() || traits.name == test.only;
        if (traits.collective != collective || !is_meant || !can_run(traits, test)) {
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
