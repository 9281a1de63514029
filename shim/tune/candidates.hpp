// Candidates: algorithms of the registry with values of their parameters, to be measured beside native.
#pragma once

#include "point.hpp"

#include "policy/table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim::tune {

// All candidates for communicators of that shape, each setting once. A candidate is a text as the benchmark
// and SWITCHYARD_FORCE take it: `tuna:radix=4`. A parameter that the text leaves out has its preset. The
// candidates of an algorithm are its presets, then one changed parameter at a time, then the same with shared
// memory inside nodes. Only one border (`direct_from`) is among them: combinations_of() has all borders. Left
// out: `native`, algorithms for overlapping buffers, and on a single node the algorithms that know nodes.
std::vector<std::string> candidates_of(const Shape& shape);

// Fewer candidates, for simulations, where one evaluation is exact and costly: each algorithm with its
// presets, and radices in steps of four. None needs shared memory, since simulated ranks have none.
std::vector<std::string> coarse_candidates_of(const Shape& shape);
std::string with_radix(const std::string& algorithm, std::int64_t radix);
// The candidate's radix on communicators of that shape. 0: its algorithm takes none, or it has a list.
std::int64_t radix_of(const Shape& shape, const std::string& candidate);
// The candidate with one more parameter set, to values in steps of eight. The radix
// stays, and there is no border.
std::vector<std::string> variations_of(const Shape& shape, const std::string& candidate);

// Borders (`direct_from`): whether the candidate's algorithm takes one, and the candidate without it.
bool takes_border(const Shape& shape, const std::string& candidate);
std::string without_border(const std::string& candidate);
// A setting without a border, with half its radix, its own and twice its own. Each gets every border that
// tells blocks of up to `largest_block` bytes apart, and one border above them.
std::vector<std::string> combinations_of(const Shape& shape, const std::string& setting,
                                         std::size_t largest_block);

// Whether this version has such a candidate.
bool is_known(policy::Collective collective, const std::string& candidate);
// The candidate, which must be known, as the `use` of a policy.
policy::Use use_of(policy::Collective collective, const std::string& candidate);
// For people: `tuna radix=4`.
std::string words_of(std::string_view candidate);
std::string algorithm_of(std::string_view candidate);
// Whether the shim makes an allreduce before each call, since the algorithm needs the
// largest block of all ranks.
bool needs_agreement(policy::Collective collective, const std::string& candidate);

} // namespace switchyard::shim::tune
