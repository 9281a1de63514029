#include "page_frame.hpp"

#include "markup.hpp"

namespace switchyard::shim::report {

void begin_page(const std::string& title, const Script& library, std::ostream& out) {
    // The security policy keeps the page from using a network, and from running anything else, even if markup
    // of a log got past the escaping. Inline styles are allowed: tables and the library set widths,
    // places and colours with them.
    out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; "
           "script-src '"
        << page_script.hash << '\'';
    if (!library.text.empty()) out << " '" << library.hash << '\'';
    out << "\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>"
        << markup(title) << "</title>\n<style>" << page_style << "</style></head>\n<body><main>\n";
}

void end_page(std::ostream& out) {
    out << "<script>" << page_script.text << "</script>\n</main></body></html>\n";
}

} // namespace switchyard::shim::report
