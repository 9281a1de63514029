// The `use` of a rule: an algorithm and its parameters, checked against the registry. Policy files and
// SWITCHYARD_FORCE share this reader.
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
};

Use read_use(const Value& value, const Scope& scope, Findings& findings);

} // namespace switchyard::policy
