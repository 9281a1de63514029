// Whether memory can be touched at all.
#pragma once

#include <cstddef>
#include <span>

namespace switchyard::shim::device {

// False if one of these bytes cannot be read: its memory was freed. Also true if the
// system refuses to answer.
bool are_readable(std::span<const void* const> addresses);

} // namespace switchyard::shim::device
