#include "csv.hpp"

#include "policy/text/printable.hpp"
#include "shim/common/formatted.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace switchyard::shim::report {

namespace {

// The file may go to a terminal. A field may have several lines.
std::string harmless_lines(std::string_view text) {
    std::string out;
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        out += text::printable(text.substr(0, end), end) + '\n';
        text.remove_prefix(end + 1);
    }
    return out + text::printable(text, text.size());
}

} // namespace

std::string csv_field(std::string_view text) {
    const std::string harmless = harmless_lines(text);
    if (harmless.find_first_of(",\"\n") == std::string::npos) return harmless;
    std::string quoted = "\"";
    for (const char c : harmless) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

std::string csv_names(const nlohmann::ordered_json& object) {
    std::vector<std::string> fields;
    for (const auto& item : object.items()) fields.push_back(csv_field(item.key()));
    return joined(fields, ",");
}

std::string csv_values(const nlohmann::ordered_json& object) {
    std::vector<std::string> fields;
    for (const auto& value : object)
        fields.push_back(value.is_null()     ? ""
                         : value.is_string() ? csv_field(value.get<std::string>())
                                             : csv_field(json_text(value, -1)));
    return joined(fields, ",");
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    constexpr bool ascii = true; // only escapes beyond ASCII: the text may go to a terminal
    return value.dump(indent, ' ', ascii, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace switchyard::shim::report
