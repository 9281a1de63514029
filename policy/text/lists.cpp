#include "lists.hpp"

namespace switchyard::text {

std::string plural(std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

} // namespace switchyard::text
