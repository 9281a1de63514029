// What a rule uses: an algorithm and its parameters, checked against the registry. For the policy file and
// for SWITCHYARD_FORCE alike.
#pragma once

#include "document.hpp"
#include "table.hpp"

#include <optional>
#include <string_view>

namespace switchyard::policy {

// Where a `use` applies, as far as that is known.
struct Scope {
    std::optional<Collective> collective;
    std::uint64_t most_ranks; // no call in this scope has more
    // Where `adaptive` cannot be used, why; else "".
    std::string_view why_not_adaptive = {};
};

// `use` may be of an algorithm, or adaptive.
Use read_use(const Value& value, const Scope& scope, Findings& findings);

} // namespace switchyard::policy
