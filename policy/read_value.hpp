// Readers of one value each. A value of the wrong type, out of bounds, or an unknown word becomes a finding.
#pragma once

#include "document.hpp"
#include "table.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

bool read_object(const Value& value, std::string_view what, Findings& findings);
std::optional<std::string> read_string(const Value& value, std::string_view what, Findings& findings);
// A text of at most `longest` bytes.
std::optional<std::string> read_text(const Value& value, std::string_view what, std::size_t longest,
                                     Findings& findings);
// An array of at most `most` values. `wanted`: what it is an array of, for the message.
bool read_array(const Value& value, std::string_view what, std::string_view wanted, std::size_t most,
                Findings& findings);
std::optional<bool> read_boolean(const Value& value, std::string_view what, Findings& findings);
// `because` follows the bounds in the message.
std::optional<std::uint64_t> read_integer(const Value& value, std::string_view what, Range possible,
                                          Findings& findings, std::string_view because = "");

// A value out of range spoils only its rule. The value is kept, so the reason in the log can name it.
std::optional<std::int64_t> read_parameter_value(const Value& value, std::string_view what, Range possible,
                                                 Findings& findings, std::string_view because);

// The place of the value among the words.
std::optional<std::size_t> read_word(const Value& value, std::string_view what,
                                     std::span<const std::string_view> words, Findings& findings);

std::optional<std::size_t> read_collective(const Value& value, Findings& findings);

// `{"min": 1, "max": 2}`, at least one of the two.
Range read_range(const Value& value, std::string_view what, Range possible, Findings& findings);

void report_unknown_keys(const Value& object, const std::vector<std::string_view>& known, Findings& findings);

// A key that must be there, and an example of its value.
struct Required {
    std::string_view key;
    std::string_view example;
};
void report_missing_keys(const Value& object, const std::vector<Required>& required, Findings& findings);

} // namespace switchyard::policy
