// Whether an algorithm may run. Its needs and the bounds of its parameters are data in its traits; they are
// checked only here.
#pragma once

#include "table.hpp"

#include <string>
#include <vector>

namespace switchyard::policy {

// The bytes that "auto" means for direct_from, unless memory is short.
inline constexpr std::int64_t automatic_border = 16384;

// The parameters that `use` gives, and presets for the algorithm's other parameters. "auto" becomes a value
// that follows from the shape, the memory limit of `use` and the largest block, where all ranks know it.
// Blocks from one power of two to the next count as one size.
algorithms::Parameters resolve(const algorithms::Traits& traits, const Use& use,
                               const algorithms::GroupShape& shape,
                               std::optional<std::size_t> block = std::nullopt);

// "", or why the algorithm may not run on communicators like this one.
std::string why_not_admissible(const algorithms::Traits& traits, const algorithms::Parameters& parameters,
                               const FixedFeatures& fixed);

// "", or which value is out of its bounds on communicators of that shape.
std::string why_out_of_bounds(const algorithms::Traits& traits, const algorithms::Parameters& parameters,
                              const algorithms::GroupShape& shape);

// "", or why it cannot run on any communicator with what `use` gives: an optional parameter is 0.
std::string why_not_admissible(const algorithms::Traits& traits, const Use& use);

// The bytes from which on blocks are left to later rules. A rule for several collectives may say from where on
// alltoallv sends blocks directly; where all blocks are equal, the rule is for smaller blocks. The largest
// number: the rule is for all blocks.
std::uint64_t left_from(const algorithms::Traits& traits, const Use& use);

// Whether the algorithm takes this transfer of device buffers: `direct` if it leaves all bytes to the MPI,
// `ipc` if it copies bytes between the ranks of a node.
bool takes(const algorithms::Traits& traits, Transfer transfer);

// Why an algorithm does not take the transfer: a sentence without its subject.
std::string why_not_taken(const algorithms::Traits& traits, Transfer transfer);

// "", or why the algorithm cannot have this transfer on any communicator.
std::string why_not_admissible(const algorithms::Traits& traits, const std::optional<Transfer>& transfer);

// Whether the algorithm would use memory that the ranks of a node share.
bool uses_shared_memory(const algorithms::Traits& traits, const algorithms::Parameters& parameters);

// The collective's algorithm whose send and receive blocks may overlap. Null: the collective has none, and
// nobody looks for overlap.
const algorithms::Traits* taking_overlap(Collective collective);
// Whether calls with overlapping buffers can come to this algorithm.
bool can_meet_overlap(const algorithms::Traits& traits);

// ---- Without a communicator -----------------------------------------------------------------------------

// What a list of radices bounds by its product: the ranks, the nodes, or the ranks on a node.
std::string_view distances_bounded(const algorithms::Traits& traits);
// The most of them for which the lists of `use` are possible. 0: there is no list.
std::uint64_t most_distances(const algorithms::Traits& traits, const Use& use);
// The fewest ranks on which the parameters of `use` are possible.
std::uint64_t fewest_ranks(const algorithms::Traits& traits, const Use& use);
// The numbers of ranks in `within` on which the algorithm can run with these parameters.
std::vector<Range> possible_ranks(const algorithms::Traits& traits, const Use& use, const Range& within);
// Whether it can run on these ranks at any call, overlapping buffers aside.
bool always_admissible(const algorithms::Traits& traits, const Use& use, Buffer buffer);

} // namespace switchyard::policy
