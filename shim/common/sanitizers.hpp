// Programs with a sanitizer (-fsanitize=address and others). Its runtime replaces functions of the C library,
// so it wants to be the first object of the process.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

// Whether an object of this path or file name is the runtime of a sanitizer, of GCC or of Clang.
bool is_sanitizer_runtime(std::string_view object);

// AddressSanitizer ends a program whose first object is not its runtime, and LD_PRELOAD puts ours before what
// a program is linked with. It works all the same: our object replaces MPI's functions alone. So the check is
// turned off by this variable, which children of a rank have, too.
inline constexpr const char* asan_variable = "ASAN_OPTIONS";

// Its value where it has been `given` (null: it is not set). Whatever the user wrote holds.
std::string asan_options(const char* given);

} // namespace switchyard::shim
