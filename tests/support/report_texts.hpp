// What a report of a log made by hand says, as text and as a page.
#pragma once

#include "log_folder.hpp"

#include "shim/common/log/read.hpp"
#include "shim/report/page/page_assets.hpp"
#include "shim/report/page/report_page.hpp"
#include "shim/report/read/profile.hpp"
#include "shim/report/text/report_text.hpp"

#include <sstream>
#include <string>

namespace switchyard::tests {

// Stands for dygraphs: what a page does with a library is the same wherever the build found none, and has
// none of the words that tests look for.
inline constexpr shim::report::Script some_library = {"window.Dygraph = function () {};",
                                                      "sha256-of-the-library"};
inline constexpr shim::report::Script no_library = {"", "sha256-of-nothing"};

// A rule that would break out of whatever it is put into without escaping.
inline const std::string nasty_rule = R"(<script>alert(1)</script>, \"a\" & 'b')";

inline shim::report::Profile profile_of(const LogFolder& folder) {
    return shim::report::read_profile(shim::log::open_run(folder.path()));
}

// What a function writes to a stream, its last argument.
template <typename Write, typename... Arguments>
std::string written(Write write, const Arguments&... arguments) {
    std::ostringstream out;
    write(arguments..., out);
    return out.str();
}

inline std::string text_of(const shim::report::Profile& profile) {
    return written(shim::report::print_text, profile);
}

inline std::string report_page(const shim::report::Profile& profile,
                               const shim::report::Script& library = some_library) {
    std::ostringstream out;
    shim::report::write_html(profile, out, library);
    return out.str();
}

} // namespace switchyard::tests
