#include "svg_parts.hpp"

#include "markup.hpp"
#include "shim/common/formatted.hpp"

namespace switchyard::shim::report {

std::string svg_text(std::size_t x, std::size_t y, std::string_view style, std::string_view words) {
    return formatted("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, markup(words));
}

std::string svg_document(std::size_t width, std::size_t height, std::string_view title,
                         const std::string& shapes) {
    return formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
                     "{0} {1}\" "
                     "role=\"img\">\n<title>{2}</title>\n"
                     "<style>text{{font:11px system-ui,sans-serif;fill:#1b1f24}} "
                     ".title{{font-weight:600;font-size:14px}} .bold{{font-weight:600}} "
                     ".middle{{text-anchor:middle}} .end{{text-anchor:end}}</style>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                     width, height, markup(title)) +
           shapes + "</svg>\n";
}

} // namespace switchyard::shim::report
