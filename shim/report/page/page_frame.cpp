#include "page_frame.hpp"

#include "svg.hpp"

namespace switchyard::shim::report {

void begin_page(const std::string& title, const Script& library, std::ostream& out) {
    // The security policy keeps the page from using a network, and from running anything else, even if markup
    // of a log got past the escaping. Inline styles are allowed: bars in tables, and the library, set widths
    // and places with them.
    out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; "
           "script-src '"
        << page_script.hash << '\'';
    if (!library.text.empty()) out << " '" << library.hash << '\'';
    out << "\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>"
        << markup(title) << "</title>\n<style>" << page_style << "</style></head>\n<body><main>\n";
}

void write_what_is_missing(const std::string& plots, const Script& library, std::ostream& out) {
    if (library.text.empty())
        out << "<p class=\"note\">This page has no plots " << plots
            << ": dygraphs, which draws them, was not there when this switchyard was built (Debian: "
               "libjs-dygraphs). The tables have their figures.</p>\n";
    out << "<noscript><p class=\"note\">Without scripts this page has no plots " << plots
        << ", and its tables cannot be sorted. The tables have all figures.</p></noscript>\n";
}

void end_page(const std::string& plot_data, const Script& library, std::ostream& out) {
    if (!plot_data.empty() && !library.text.empty())
        out << "<section class=\"license\"><details><summary>Plots are drawn by dygraphs, whose license is "
               "MIT</summary><pre>"
            << markup(plot_library_license) << "</pre></details></section>\n"
            << "<script type=\"application/json\" id=\"plot-data\">" << plot_data << "</script>\n<script>"
            << library.text << "</script>\n";
    out << "<script>" << page_script.text << "</script>\n</main></body></html>\n";
}

} // namespace switchyard::shim::report
