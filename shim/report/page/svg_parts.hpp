// What our pictures of their own files have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace switchyard::shim::report {

// `style`: words of title, middle, end, bold; or "".
std::string svg_text(std::size_t x, std::size_t y, std::string_view style, std::string_view words);

// A whole SVG document of so many pixels.
std::string svg_document(std::size_t width, std::size_t height, std::string_view title,
                         const std::string& shapes);

} // namespace switchyard::shim::report
