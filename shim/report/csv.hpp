// Lines of a CSV file, as RFC 4180 has them, from JSON objects: one place says what the columns are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace switchyard::shim::report {

// In quotes where it has to be.
std::string csv_field(std::string_view text);

std::string csv_names(const nlohmann::ordered_json& object);
std::string csv_values(const nlohmann::ordered_json& object); // null: an empty field

// Text of what a log holds, which need not be UTF-8. `indent` -1: one line.
std::string json_text(const nlohmann::ordered_json& value, int indent);

} // namespace switchyard::shim::report
