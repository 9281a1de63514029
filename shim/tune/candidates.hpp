// What may be measured against native: algorithms of the registry with values of their parameters.
#pragma once

#include "point.hpp"

#include "policy/table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim::tune {

// Texts as the benchmark and SWITCHYARD_FORCE take them, `tuna:radix=4`; what is left out has its preset. All
// that may run on communicators of that shape and are not the same there as one before: each algorithm with
// its presets first, then with one parameter changed at a time (powers of two), and with and without the
// nodes' memory. Not `native`; not what is for buffers that overlap; not what knows nodes where there is one.
std::vector<std::string> candidates_of(const Shape& shape);

// Fewer, for where one evaluation is exact and costly: each algorithm with its presets, and radices in steps of
// four. Without memory that ranks share, as simulated ones do not.
std::vector<std::string> coarse_candidates_of(const Shape& shape);
std::string with_radix(const std::string& algorithm, std::int64_t radix);
// Its radix on communicators of that shape; 0: it takes none.
std::int64_t radix_of(const Shape& shape, const std::string& candidate);
// The same candidate with one other parameter changed, in steps of eight.
std::vector<std::string> variations_of(const Shape& shape, const std::string& candidate);

// Whether such a text means something in this version.
bool is_known(policy::Collective collective, const std::string& candidate);
// The `use` that such a text stands for, which must be known.
policy::Use use_of(policy::Collective collective, const std::string& candidate);
// `tuna radix=4`
std::string words_of(std::string_view candidate);
// Whether the algorithm needs the agreed largest block, for which the shim makes an allreduce.
bool needs_agreement(policy::Collective collective, const std::string& candidate);

} // namespace switchyard::shim::tune
