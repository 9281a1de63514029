// Times, sizes and counts for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::shim::report {

std::string time_text(double us);            // `12.3 us`, `4.5 ms`, `6.78 s`
std::string short_time_text(double us);      // `12 us`, `4.5 ms`: no more than it takes
std::string size_text(double bytes);         // `1.5 KiB`
std::string block_text(unsigned block_bits); // `64 B`: blocks of up to so many bytes, `1 B` with none
std::string count_text(std::uint64_t count); // `1,234,567`
std::string share_text(double part, double of_whole); // `12.3%`, `-` of nothing
std::string ratio_text(double above, double below);   // `1.23`, `-` of nothing

// `1 call`, `2 calls`
std::string counted(std::uint64_t count, std::string_view what);

// Never able to upset a terminal or to tear a table: control characters are escaped. Cut after `longest`
// characters, with three dots that say so.
std::string shown(std::string_view text, std::size_t longest = 80);

// Columns that a text takes on a terminal, as far as UTF-8 tells.
std::size_t width_of(std::string_view text);
// Bytes of its first so many columns.
std::size_t bytes_of(std::string_view text, std::size_t columns);

} // namespace switchyard::shim::report
