#include "csv.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace switchyard::shim::report {

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

std::string csv_names(const nlohmann::ordered_json& object) {
    std::vector<std::string> fields;
    for (const auto& item : object.items()) fields.push_back(csv_field(item.key()));
    return fmt::format("{}", fmt::join(fields, ","));
}

std::string csv_values(const nlohmann::ordered_json& object) {
    std::vector<std::string> fields;
    for (const auto& value : object)
        fields.push_back(value.is_null()     ? ""
                         : value.is_string() ? csv_field(value.get<std::string>())
                                             : csv_field(json_text(value, -1)));
    return fmt::format("{}", fmt::join(fields, ","));
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace switchyard::shim::report
