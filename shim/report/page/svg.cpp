#include "svg.hpp"

#include "policy/text/printable.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <array>
#include <cmath>

namespace switchyard::shim::report {

namespace {

// Nobody sees a tenth of a pixel, and a page has thousands of numbers.
std::string px(double value) {
    if (!std::isfinite(value)) value = 0;
    auto text = formatted("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string closed(std::string_view element, std::string_view tip) {
    if (tip.empty()) return "/>\n";
    return formatted("><title>{}</title></{}>\n", markup(tip), element);
}

constexpr std::array anchors = {std::string_view{"start"}, std::string_view{"middle"},
                                std::string_view{"end"}};

} // namespace

std::string markup(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto [bytes, is_harmless] = text::first_character(text);
        const auto character = text.substr(0, bytes);
        text.remove_prefix(bytes);
        switch (const char c = character.front()) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        case '\n':
        case '\t': out += c; break;
        default: out += is_harmless ? character : "?";
        }
    }
    return out;
}

double text_pixels(std::string_view words, double size) {
    return 0.58 * size * static_cast<double>(width_of(words));
}

Svg::Svg(double width, double height, std::string_view title) {
    out_ = formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                     "height=\"{1}\" role=\"img\" font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,"
                     "'Liberation Sans',Arial,sans-serif\">\n<title>{2}</title>\n",
                     px(width), px(height), markup(title));
}

void Svg::rect(double x, double y, double width, double height, std::string_view fill, std::string_view tip) {
    out_ += formatted(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", px(x), px(y), px(width),
                      px(height), fill) +
            closed("rect", tip);
}

void Svg::frame(double x, double y, double width, double height, std::string_view colour) {
    out_ += formatted("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n",
                      px(x), px(y), px(width), px(height), colour);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour) {
    out_ += formatted("<path d=\"M{} {}L{} {}\" stroke=\"{}\"/>\n", px(x1), px(y1), px(x2), px(y2), colour);
}

void Svg::text(double x, double y, std::string_view words, Anchor anchor, double size, std::string_view fill,
               std::string_view weight) {
    out_ += formatted(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", px(x), px(y), px(size), fill);
    if (anchor != Anchor::start)
        out_ += formatted(" text-anchor=\"{}\"", anchors[static_cast<std::size_t>(anchor)]);
    if (!weight.empty()) out_ += formatted(" font-weight=\"{}\"", weight);
    out_ += '>' + markup(words) + "</text>\n";
}

void Svg::upright_text(double x, double y, std::string_view words) {
    out_ +=
        formatted("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" font-size=\"12\" "
                  "fill=\"{}\">{}</text>\n",
                  px(x), px(y), text_ink, markup(words));
}

std::string Svg::finish() {
    return std::move(out_) + "</svg>\n";
}

} // namespace switchyard::shim::report
