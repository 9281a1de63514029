// Times, sizes and counts for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::shim {

std::string time_text(double us);                     // `12.3 us`, `4.5 ms`, `6.78 s`
std::string short_time_text(double us);               // `12 us`, `4.5 ms`
std::string size_text(double bytes);                  // `1.5 KiB`
std::string block_text(unsigned block_bits);          // `64 B` for 6: blocks of up to 64 bytes
std::string count_text(std::uint64_t count);          // `1,234,567`
std::string share_text(double part, double of_whole); // `12.3%`; `-` where the whole is 0

// Safe for terminals and tables: control characters are escaped. A longer text is cut after `longest`
// characters and ends in three dots.
std::string shown(std::string_view text, std::size_t longest = 80);

// Columns of a text on a terminal: its number of UTF-8 characters.
std::size_t width_of(std::string_view text);
// Bytes of the first `columns` columns of a text.
std::size_t bytes_of(std::string_view text, std::size_t columns);

} // namespace switchyard::shim
