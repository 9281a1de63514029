// Whether memory can be touched at all.
#pragma once

#include <cstddef>
#include <span>

namespace switchyard::shim::device {

// False where one of those bytes cannot be read: memory that was freed. True also where the system does not let us
// ask.
bool are_readable(std::span<const void* const> addresses);

} // namespace switchyard::shim::device
