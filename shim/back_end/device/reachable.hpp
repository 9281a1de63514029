// Whether memory can be touched at all.
#pragma once

#include <cstddef>
#include <span>

namespace switchyard::shim::device {

// False where one of those bytes cannot be read: its memory was freed. True also where the system refuses the
// question.
bool are_readable(std::span<const void* const> addresses);

} // namespace switchyard::shim::device
