// LineChart: curves over a common axis, drawn as SVG.
#pragma once
#include <string>
#include <vector>

#include "graph_layout.h"
#include "svg.h"

namespace cornu::plot {

/// A row of points. Where y is not finite the curve has a gap.
struct Curve {
  std::string name;       ///< for the legend
  std::vector<double> x;  ///< rising
  std::vector<double> y;  ///< as many
  int color = 0;          ///< see series()
  bool dashed = false;    ///< whether the line is
  bool listed = true;     ///< whether the legend has it
};

/// Curves under a title. The axis of y is logarithmic where all values are positive and the largest
/// is more than 1,000 times the smallest.
struct LineChart {
  std::string title;          ///< above the curves
  std::string x_title;        ///< below the axis: "epoch"
  std::vector<Curve> curves;  ///< in the order of the legend; a legend is there where it has two
};

/// How large a panel is, in pixels.
constexpr double panel_width = 400, panel_height = 280;

/// Draws a chart into the panel whose upper left corner is at (left, top).
void draw(Svg& svg, const LineChart& chart, double left, double top);

/// The points of a curve that a drawing of so many columns of pixels can show: of each column the
/// first, the least, the largest and the last, in their order. Stretches without a gap are kept
/// apart; `from` and `to` are the ends of the axis.
std::vector<std::vector<Point>> decimate(const Curve& curve, double from, double to, int columns);

/// About `count` round numbers in [from, to], with the first digits 1, 2 or 5.
std::vector<double> ticks(double from, double to, int count);

}  // namespace cornu::plot
