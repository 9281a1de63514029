// Pictures as SVG: shapes in the order they are drawn, coordinates in pixels from the top left corner.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim::report {

// For text and attributes of HTML and SVG. What XML forbids becomes a question mark.
std::string markup(std::string_view text);

enum class Anchor { start, middle, end };

class Svg {
  public:
    // `title`: what the picture is of, for people who do not see it.
    Svg(double width, double height, std::string_view title);

    // `tip`: what is shown when a pointer rests on the shape; "" for none.
    void rect(double x, double y, double width, double height, std::string_view fill,
              std::string_view tip = "");
    // A frame of that colour without a filling.
    void frame(double x, double y, double width, double height, std::string_view colour);
    void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1,
              double opacity = 1);
    // One of a few shapes, so that colour is not the only difference between series.
    void marker(std::size_t shape, double x, double y, double radius, std::string_view fill,
                std::string_view tip = "");
    void text(double x, double y, std::string_view words, Anchor anchor = Anchor::start, double size = 12,
              std::string_view fill = "#3d4650", std::string_view weight = "");
    // Reads upwards, middle at x, y.
    void upright_text(double x, double y, std::string_view words);

    std::string finish();

  private:
    std::string out_;
};

// Widest text of that size in pixels: an estimate for fonts that nobody knows here.
double text_pixels(std::string_view words, double size);

} // namespace switchyard::shim::report
