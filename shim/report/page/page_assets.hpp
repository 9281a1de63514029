// What goes into a page unchanged. The build reads the files of page/ and, if it is installed, the library
// that draws plots.
#pragma once

#include <string_view>

namespace switchyard::shim::report {

struct Script {
    std::string_view text;
    std::string_view hash; // `sha256-...`: so a page's security policy names what may run
};

extern const std::string_view page_style;
extern const Script page_script;

// dygraphs. Without text if the build did not find it.
extern const Script plot_library;
extern const std::string_view plot_library_license;

} // namespace switchyard::shim::report
