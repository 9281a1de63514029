// Whether an algorithm may run: needs and parameter bounds are data in its traits, and are checked here only.
#pragma once

#include "table.hpp"

#include <string>
#include <vector>

namespace switchyard::policy {

// What `use` gives, and the presets for the rest of what the algorithm takes.
algorithms::Parameters resolve(const algorithms::Traits& traits, const Use& use, int ranks);

// "", or why it may not run in communicators like this one.
std::string why_not_admissible(const algorithms::Traits& traits, const algorithms::Parameters& parameters,
                               const FixedFeatures& fixed);

// The same of the transfer that `use` gives: it holds everywhere.
std::string why_not_admissible(const algorithms::Traits& traits, const std::optional<Transfer>& transfer);

// Whether it would use memory that the ranks of a node share.
bool uses_shared_memory(const algorithms::Traits& traits, const algorithms::Parameters& parameters);

// The algorithm of that collective whose send and receive blocks may overlap; null: it has none, and overlap
// is nobody's business there.
const algorithms::Traits* taking_overlap(Collective collective);
// Whether calls whose buffers overlap, which only exist where some algorithm takes them, can come to this
// one.
bool can_meet_overlap(const algorithms::Traits& traits);

// The same without a communicator: from how many ranks on the parameters of `use` are possible; the numbers
// of ranks out of `within` for which `use` is; and whether it is then always possible, whatever else the call
// is (but for buffers that overlap).
std::uint64_t fewest_ranks(const algorithms::Traits& traits, const Use& use);
std::vector<Range> possible_ranks(const algorithms::Traits& traits, const Use& use, const Range& within);
bool always_admissible(const algorithms::Traits& traits, const Use& use, Buffer buffer);

} // namespace switchyard::policy
