// What every page has: style, scripts, and a security policy that lets nothing else run.
#pragma once

#include "page_assets.hpp"

#include <ostream>
#include <string>

namespace switchyard::shim::report {

// `title` may be any text.
void begin_page(const std::string& title, const Script& library, std::ostream& out);

// For the top of a page with plots, such as plots `over time and sizes`: says what the build or the reader's
// browser leaves out.
void write_what_is_missing(const std::string& plots, const Script& library, std::ostream& out);

// `plot_data`: what the library draws; "" if the page has no such plots.
void end_page(const std::string& plot_data, const Script& library, std::ostream& out);

} // namespace switchyard::shim::report
