// What every page has: style, scripts, and a security policy that lets nothing else run.
#pragma once

#include "page_assets.hpp"

#include <ostream>
#include <string>

namespace switchyard::shim::report {

// `title` may be any text. `library` may run; without text: there is none.
void begin_page(const std::string& title, const Script& library, std::ostream& out);

void end_page(std::ostream& out);

} // namespace switchyard::shim::report
