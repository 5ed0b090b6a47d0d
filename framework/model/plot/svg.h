// Svg: text of a vector drawing, in colors that follow the viewer's light or dark theme.
#pragma once
#include <string>
#include <string_view>

namespace cornu::plot {

/// `text`, in UTF-8, as XML holds it: &, <, > and quotes are written as entities, control
/// characters, which XML does not have, as "?", and bytes that are no UTF-8 as U+FFFD.
std::string escape(std::string_view text);

/// About how wide a text is in a sans-serif font of this size, in the unit of `font_size`.
double text_width(std::string_view text, double font_size);

/// A number in few digits: "0.1234", "12.3k", "1.2e-07".
std::string short_number(double value);

/// How many colors the series of a chart have; those after them are gray.
constexpr int series_colors = 8;

/// The name of the style of series number `color`, from 0: "s0" to "s7", then "s8".
std::string series(int color);

/// The rules of all drawings: for one of them alone, or once for a page that holds several.
std::string style_sheet();

/// A drawing that grows. Lengths are in pixels, y points down. The last argument of each call is a
/// list of the style sheet's names.
class Svg {
 public:
  /// An empty drawing of this size; `label` says what it shows to those who cannot see it.
  Svg(double width, double height, std::string label)
      : width_(width), height_(height), label_(std::move(label)) {}

  /// A rectangle with corners of this radius.
  void rect(double x, double y, double width, double height, double radius, std::string_view style);
  void line(double x1, double y1, double x2, double y2, std::string_view style);  ///< a segment
  /// A path in SVG's language: "M0 0L5 5".
  void path(std::string_view commands, std::string_view style);
  /// A disk that shows `title` to a pointer; no title where it is empty.
  void disk(double x, double y, double radius, std::string_view title, std::string_view style);
  /// A line of text whose baseline is at y; "middle" and "end" among the styles say what x is.
  void text(double x, double y, std::string_view text, std::string_view style);
  /// Text that is SVG already.
  void raw(std::string_view svg) { body_ += svg; }

  double width() const { return width_; }    ///< in pixels
  double height() const { return height_; }  ///< in pixels
  /// The element svg, for a page that has the style sheet.
  std::string element() const;
  /// A whole file, with the style sheet and a background.
  std::string file() const;

 private:
  std::string open(bool alone) const;

  double width_, height_;
  std::string label_;
  std::string body_;
};

}  // namespace cornu::plot
