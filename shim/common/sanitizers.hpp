// Programs with a sanitizer (-fsanitize=address and others). Its runtime replaces functions of the C library,
// so it wants to be the first object of the process.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

// Whether an object of this path or file name is the runtime of a sanitizer, of GCC or of Clang.
bool is_sanitizer_runtime(std::string_view object);

// AddressSanitizer ends a program whose first object is not its runtime, and LD_PRELOAD puts our object
// before those that a program is linked with. This order works all the same: our object replaces only MPI's
// functions. So this variable turns the check off. A rank's children inherit it.
inline constexpr const char* asan_variable = "ASAN_OPTIONS";

// The value to set when the user has `given` another one (null: it is not set). What the user wrote counts.
std::string asan_options(const char* given);

} // namespace switchyard::shim
