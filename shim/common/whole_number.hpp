// Whole numbers of a JSON file that anybody may have changed. The library casts a number that does not fit,
// which is undefined for 1e300.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace switchyard::shim {

// Throws std::out_of_range if the value is no whole number that T can hold.
template <typename T, typename Json>
T whole_number(const Json& value) {
    if (value.is_number_unsigned()) {
        if (const auto number = value.template get<std::uint64_t>(); std::in_range<T>(number))
            return static_cast<T>(number);
    } else if (value.is_number_integer()) {
        if (const auto number = value.template get<std::int64_t>(); std::in_range<T>(number))
            return static_cast<T>(number);
    }
    throw std::out_of_range(value.dump(-1, ' ', true, Json::error_handler_t::replace) +
                            " is no possible number");
}

template <typename T, typename Json>
std::vector<T> whole_numbers(const Json& list) {
    std::vector<T> numbers;
    for (const auto& value : list) numbers.push_back(whole_number<T>(value));
    return numbers;
}

} // namespace switchyard::shim
