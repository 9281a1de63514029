#include "markup.hpp"

#include "policy/text/printable.hpp"

namespace switchyard::shim::report {

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

} // namespace switchyard::shim::report
