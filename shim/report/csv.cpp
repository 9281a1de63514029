#include "csv.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace switchyard::shim::report {

namespace {

std::string joined(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) line += (i > 0 ? "," : "") + csv_field(fields[i]);
    return line;
}

} // namespace

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

std::string csv_names(const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& item : object.items()) names.push_back(item.key());
    return joined(names);
}

std::string csv_values(const nlohmann::ordered_json& object) {
    std::vector<std::string> values;
    for (const auto& value : object)
        values.push_back(value.is_null()     ? ""
                         : value.is_string() ? value.get<std::string>()
                                             : json_text(value, -1));
    return joined(values);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace switchyard::shim::report
