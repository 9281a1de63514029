#include "lists.hpp"

namespace switchyard::text {

std::string listed(const std::vector<std::string_view>& words) {
    std::string out;
    for (const std::string_view word : words) {
        out += out.empty() ? "" : ", ";
        out += word;
    }
    return out;
}

std::string enumerated(const std::vector<std::string>& items) {
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
        out += items[i];
    }
    return out;
}

std::string plural(std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

} // namespace switchyard::text
