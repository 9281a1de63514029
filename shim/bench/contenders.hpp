// What is measured against what: algorithms with their parameters, as named on the command line. No MPI.
#pragma once

#include "policy/match.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace switchyard::bench {

// `tuna:radix=2..ranks:metadata=separate,fused` to one text per combination. A value may be a list (2,4,8), a
// range that doubles (2..64, which ends with its end), and the words `ranks` and `sqrt`, the square root of
// the ranks rounded up. Nothing is checked beyond that: parse_force() does.
std::variant<std::vector<std::string>, std::string> expand(const std::string& spec, int ranks);

struct Contender {
    // `preloaded` calls the MPI function itself, for whatever stands in front of the library to take;
    // `agreement` is no exchange: the allreduce that the shim makes before a call whose block it looks at.
    enum class Kind : std::uint8_t { algorithm, preloaded, agreement };
    Kind kind = Kind::algorithm;
    policy::Choice choice; // native's, where the kind is no algorithm
    std::string name;      // "tuna radix=4 metadata=fused"
    // "tuna metadata=fused" without the radix; the same where there is none.
    std::string without(algorithms::Parameter parameter) const;
    bool is_native() const { return kind == Kind::algorithm && choice.algorithm->native; }
    bool is_ours() const { return !choice.algorithm->native; }
    bool takes(algorithms::Parameter parameter) const { return choice.algorithm->takes(parameter); }
};

// All that the texts name, each once, in that order; or what is wrong with one of them.
std::variant<std::vector<Contender>, std::string> contenders_of(algorithms::Collective collective,
                                                                const std::vector<std::string>& specs,
                                                                int ranks, bool with_native, bool in_place);

} // namespace switchyard::bench
