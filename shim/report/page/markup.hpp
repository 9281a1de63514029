// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim::report {

// Escapes text for HTML and SVG, also for attributes. Characters that XML forbids become question marks.
std::string markup(std::string_view text);

} // namespace switchyard::shim::report
