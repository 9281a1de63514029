// Writes SVG: shapes in the order of drawing, coordinates in pixels from the top left corner.
#pragma once

#include "palette.hpp"

#include <string>
#include <string_view>

namespace switchyard::shim::report {

// Escapes text for HTML and SVG, also for attributes. Characters that XML forbids become question marks.
std::string markup(std::string_view text);

enum class Anchor { start, middle, end };

class Svg {
  public:
    // `title` describes the picture, for people who cannot see it.
    Svg(double width, double height, std::string_view title);

    // `tip` is shown when the pointer rests on the shape; "": none.
    void rect(double x, double y, double width, double height, std::string_view fill,
              std::string_view tip = "");
    // An outline without a filling.
    void frame(double x, double y, double width, double height, std::string_view colour);
    void line(double x1, double y1, double x2, double y2, std::string_view colour);
    void text(double x, double y, std::string_view words, Anchor anchor = Anchor::start, double size = 12,
              std::string_view fill = text_ink, std::string_view weight = "");
    // Text that reads upwards; its middle is at x, y.
    void upright_text(double x, double y, std::string_view words);

    std::string finish();

  private:
    std::string out_;
};

// Width of a text in pixels: an estimate, as the reader's font is unknown.
double text_pixels(std::string_view words, double size);

} // namespace switchyard::shim::report
