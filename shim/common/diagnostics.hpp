// Messages to people while their program runs: few, on stderr, from one rank. Never throws.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

// Call it before the first message. `level` is a value of SWITCHYARD_VERBOSE. `speaks`
// false: this rank is silent.
void set_up_diagnostics(std::string_view level, bool speaks) noexcept;

void warn(const std::string& message) noexcept; // `switchyard: warning: ...`
// The same, also from a rank that is silent otherwise: for what only this rank knows.
void warn_from_any_rank(const std::string& message) noexcept;
void inform(const std::string& message) noexcept; // `switchyard: info: ...`, from level info on
void say(const std::string& message) noexcept;    // `switchyard: ...`, unless the level is above warn

} // namespace switchyard::shim
