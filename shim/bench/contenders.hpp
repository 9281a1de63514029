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
    // exchange: it is the allreduce of the shim before a call whose largest block it needs.
    enum class Kind : std::uint8_t { algorithm, preloaded, agreement };
    Kind kind = Kind::algorithm;
    policy::Choice choice; // native, unless the kind is `algorithm`
    std::string name;      // "tuna radix=4 metadata=fused"
    // The name without one parameter: "tuna metadata=fused" without the radix.
    std::string without(algorithms::Parameter parameter) const;
    bool is_native() const { return kind == Kind::algorithm && choice.algorithm->native; }
    bool is_ours() const { return !choice.algorithm->native; }
    bool takes(algorithms::Parameter parameter) const { return choice.algorithm->takes(parameter); }
};

// All contenders of the texts, each once, in that order; or what is wrong with a text. `blocks`: the largest
// block of each measurement, which "auto" of some parameters follows.
text::Result<std::vector<Contender>> contenders_of(algorithms::Collective collective,
                                                   const std::vector<std::string>& specs,
                                                   const algorithms::GroupShape& shape, bool with_native,
                                                   bool in_place, std::span<const std::size_t> blocks = {});

} // namespace switchyard::bench
