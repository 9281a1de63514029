// Lines of a CSV file (RFC 4180) from JSON objects, so one place names the columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace switchyard::shim::report {

// In quotes where CSV needs them.
std::string csv_field(std::string_view text);

std::string csv_names(const nlohmann::ordered_json& object);
std::string csv_values(const nlohmann::ordered_json& object); // null: an empty field

// JSON text, even if a log holds bytes that are not UTF-8. `indent` -1: one line.
std::string json_text(const nlohmann::ordered_json& value, int indent);

} // namespace switchyard::shim::report
