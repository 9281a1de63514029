// Which candidates to measure beside native.
#pragma once

#include "candidate.hpp"

#include <vector>

namespace switchyard::shim::tune {

// All candidates for communicators of that shape, each setting once. The candidates of an algorithm are its
// presets, then one changed parameter at a time, then the same with shared memory inside nodes. Only one border
// (`direct_from`) is among them: combinations_of() has all borders. Left out: `native`, algorithms for
// overlapping buffers, and on a single node the algorithms that know nodes.
std::vector<Candidate> candidates_of(const Shape& shape);

// Fewer candidates, for simulations, where one evaluation is exact and costly: each algorithm with its
// presets, and radices in steps of four. None needs shared memory, since simulated ranks have none.
std::vector<Candidate> coarse_candidates_of(const Shape& shape);
// The candidate with the radices beside its own, a factor of the square root of 2 away.
std::vector<Candidate> near_radices(const Shape& shape, const Candidate& candidate);
// The candidate with one more parameter set, to values in steps of eight. The radix stays, and there is no
// border.
std::vector<Candidate> variations_of(const Shape& shape, const Candidate& candidate);

// A setting without a border, with half its radix, its own and twice its own. Each gets every border that
// tells blocks of up to `largest_block` bytes apart, and one border above them.
std::vector<Candidate> combinations_of(const Shape& shape, const Candidate& setting,
                                       std::size_t largest_block);

} // namespace switchyard::shim::tune
