// Times as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace switchyard::shim::tune {

// Seconds of `90s`, `3m`, `1h`, `1h30m` or `2.5m`. Nothing: the text is no such time, or zero.
std::optional<double> parse_duration(std::string_view text);

// `1 h 5 min`, `3 min 20 s`, `12 s`
std::string duration_text(double seconds);

} // namespace switchyard::shim::tune
