#include "rule_name.hpp"
#include "spelling.hpp"
#include "text/printable.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

constexpr std::string_view prefix = "rule ";

bool is_by_number(std::string_view name) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
    return std::ranges::all_of(name.substr(prefix.size()), [](char c) { return '0' <= c && c <= '9'; });
}

} // namespace

std::string name_by_number(std::size_t number) {
    return std::string(prefix) + std::to_string(number);
}

std::string rule_called(std::string_view name) {
    return is_by_number(name) ? std::string(name)
                              : std::string(prefix) + '"' + text::printable(name, name.size()) + '"';
}

std::string rule_numbered(std::size_t number, std::string_view name) {
    const std::string by_number = name_by_number(number);
    return name == by_number ? by_number : by_number + ' ' + in_quotes(name);
}

} // namespace switchyard::policy
