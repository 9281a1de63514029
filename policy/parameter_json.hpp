// The value of a parameter in JSON.
#pragma once

#include "algorithms/traits.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace switchyard::policy {

// A number or a word; a list is a word, `8x6`. Adds nothing if an optional parameter has no value.
inline void add_parameter(nlohmann::ordered_json& json, const algorithms::ParameterTraits& parameter,
                          std::int64_t value) {
    if (is_absent(parameter, value)) return;
    auto& place = json[std::string(parameter.name)];
    if (parameter.choices.empty() && value != algorithms::automatic && !is_list(parameter, value))
        place = value;
    else
        place = text_of(parameter, value);
}

} // namespace switchyard::policy
