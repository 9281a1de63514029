// A choice as JSON: for the log, and for learned policies.
#pragma once

#include "policy/match.hpp"

#include <nlohmann/json_fwd.hpp>

namespace switchyard::shim {

// `{"radix": 4, "metadata": "fused"}`: every parameter of the algorithm.
nlohmann::ordered_json parameters_json(const policy::Choice& choice);

// A policy with this `use` makes the same choice on communicators of the same shape.
nlohmann::ordered_json use_json(const policy::Choice& choice);

} // namespace switchyard::shim
