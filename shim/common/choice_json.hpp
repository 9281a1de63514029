// What a choice runs, as JSON: for the log, and for policies that are made of what was learned.
#pragma once

#include "policy/match.hpp"

#include <nlohmann/json.hpp>

namespace switchyard::shim {

// `{"radix": 4, "metadata": "fused"}`: all that the algorithm takes.
nlohmann::ordered_json parameters_json(const policy::Choice& choice);

// The `use` of a policy that is the same choice on communicators like this one.
nlohmann::ordered_json use_json(const policy::Choice& choice);

} // namespace switchyard::shim
