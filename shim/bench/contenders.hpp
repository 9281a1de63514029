// Contenders: algorithms with their parameters, as the command line names them. No MPI.
#pragma once

#include "policy/match.hpp"
#include "policy/text/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace switchyard::bench {

// Makes one text for each combination of `tuna:radix=2..ranks:metadata=separate,fused`. A value is a list
// (2,4,8) or a range that doubles (2..50: 2, 4, 8, 16, 32, 50). The word `ranks` stands for the number of
// ranks, `sqrt` for its square root, rounded up. The texts are not checked: parse_force() does that. The
// string of an error says what is wrong with a range.
text::Result<std::vector<std::string>> expand(const std::string& spec, int ranks);

struct Contender {
    // `preloaded` calls the MPI function, so that a preloaded shim takes the call. `agreement` is no
    // exchange: it is the allreduce of the shim before a call whose largest block it needs. The last two make
    // the same exchange by other functions of the MPI library, which may be faster where it is badly tuned.
    enum class Kind : std::uint8_t { algorithm, preloaded, agreement, other_function, gather_and_bcast };
    Kind kind = Kind::algorithm;
    algorithms::Collective function = algorithms::Collective::alltoallv; // of the kind `other_function`
    policy::Choice choice; // native, unless the kind is `algorithm`
    std::string name;      // "tuna radix=4 metadata=fused"
    // The name without one parameter: "tuna metadata=fused" without the radix.
    std::string without(algorithms::Parameter parameter) const;
    bool is_native() const { return kind == Kind::algorithm && choice.algorithm->native; }
    // Other functions take one count for all blocks.
    bool needs_equal_blocks() const { return kind == Kind::other_function || kind == Kind::gather_and_bcast; }
    bool is_ours() const { return !choice.algorithm->native; }
    bool takes(algorithms::Parameter parameter) const { return choice.algorithm->takes(parameter); }
};

// The contender that makes the exchange by the function of that collective: `as_alltoallv`.
std::string name_as(algorithms::Collective function);
inline constexpr const char* gather_and_bcast_name = "gather_and_bcast";

// All contenders of the texts, each once, in that order; or what is wrong with a text. `blocks`: the largest
// block of each measurement, which "auto" of some parameters follows.
text::Result<std::vector<Contender>> contenders_of(algorithms::Collective collective,
                                                   const std::vector<std::string>& specs,
                                                   const algorithms::GroupShape& shape, bool with_native,
                                                   bool in_place, std::span<const std::size_t> blocks = {});

} // namespace switchyard::bench
