// Lists and counts in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::text {

// `a, b, c`
std::string listed(const std::vector<std::string_view>& words);

// `a, b and c`
std::string enumerated(const std::vector<std::string>& items);

// `1 call`, `2 calls`
std::string plural(std::uint64_t count, std::string_view what);

} // namespace switchyard::text
