// What we tell people while their program runs: little, on stderr, from one rank. Never throws.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

// Before the first message; `level` as in SWITCHYARD_VERBOSE. `speaks`: false silences this rank.
void set_up_diagnostics(std::string_view level, bool speaks) noexcept;

void warn(const std::string& message) noexcept;   // `switchyard: warning: ...`
void inform(const std::string& message) noexcept; // `switchyard: info: ...`, from level info on
void say(const std::string& message) noexcept;    // `switchyard: ...`, unless the level is above warn

} // namespace switchyard::shim
