// A confusion as a table of squares, errors as bars.
#include "evaluation_charts.h"

#include <cornu/framework/model/plot/chart.h>
#include <fmt/core.h>

#include <algorithm>

namespace cornu::cli {
namespace {

using plot::Svg;

constexpr double left = 54, top = 86, right = 14, bottom = 12;
constexpr double legible = 24;  // of a square with a number in it

void draw_cell(Svg& svg, const Confusion& confusion, int64_t truth, int64_t predicted,
               double side) {
  int64_t samples = 0;
  for (int64_t c = 0; c < confusion.classes; ++c) samples += confusion.count(truth, c);
  const int64_t count = confusion.count(truth, predicted);
  const double share = samples ? static_cast<double>(count) / static_cast<double>(samples) : 0;
  const double x = left + static_cast<double>(predicted) * side,
               y = top + static_cast<double>(truth) * side;
  svg.raw(fmt::format(R"(<g><title>true {}, predicted {}: {} of {}</title>)", truth, predicted,
                      count, samples));
  svg.rect(x, y, side, side, 0, "cell");
  if (count > 0) svg.raw(fmt::format(R"(<g fill-opacity="{:.2f}">)", 0.12 + 0.88 * share));
  if (count > 0) svg.rect(x + 1, y + 1, side - 2, side - 2, 2, "s0 fill");
  if (count > 0) svg.raw("</g>");
  if (side >= legible && count > 0)
    svg.text(x + side / 2, y + side / 2 + 4, plot::short_number(static_cast<double>(count)),
             share > 0.5 ? "on middle" : "ink middle");
  svg.raw("</g>");
}

}  // namespace

Svg draw_confusion(const Confusion& confusion, const std::string& title) {
  const auto classes = static_cast<double>(confusion.classes);
  const double side = std::min((plot::panel_width - left - right) / classes, 64.0);
  Svg svg(plot::panel_width, top + side * classes + bottom, "Confusion of " + title);
  svg.text(8, 22, title, "ink title");
  svg.text(8, 42,
           fmt::format("{:.2f}% of {} samples are right{}", 100 * confusion.accuracy(),
                       confusion.samples(),
                       confusion.unpredicted > 0
                           ? fmt::format("; {} predictions are NaN", confusion.unpredicted)
                           : ""),
           "soft");
  svg.text(left, top - 24, "predicted", "soft");
  svg.text(left - 10, top - 6, "true", "soft end");
  const int64_t step = side >= 14 ? 1 : 5;
  for (int64_t c = 0; c < confusion.classes; c += step) {
    const double middle = (static_cast<double>(c) + 0.5) * side;
    svg.text(left + middle, top - 6, std::to_string(c), "soft middle");
    svg.text(left - 10, top + middle + 4, std::to_string(c), "soft end");
  }
  for (int64_t truth = 0; truth < confusion.classes; ++truth)
    for (int64_t predicted = 0; predicted < confusion.classes; ++predicted)
      draw_cell(svg, confusion, truth, predicted, side);
  return svg;
}

Svg draw_errors(const Errors& errors, const std::string& title) {
  Svg svg(plot::panel_width, plot::panel_height, "Errors of " + title);
  const double x0 = left, width = plot::panel_width - left - right;
  const double y0 = plot::panel_height - 40, height = y0 - 66;
  const int64_t most = *std::max_element(errors.counts.begin(), errors.counts.end());
  const auto x = [&](double error) {
    return x0 + (error / 2 - errors.from / 2) / (errors.to / 2 - errors.from / 2) * width;
  };
  svg.text(8, 22, title, "ink title");
  svg.text(8, 42,
           fmt::format("mean {:.4g}, mean absolute {:.4g}, root mean square {:.4g}", errors.mean,
                       errors.mean_absolute, errors.root_mean_square),
           "soft");
  if (errors.not_finite > 0)
    svg.text(8, 58, fmt::format("{} more errors are not finite", errors.not_finite), "soft");
  for (const double tick : plot::ticks(0, static_cast<double>(most), 4)) {
    const double y = y0 - tick / static_cast<double>(most) * height;
    svg.line(x0, y, x0 + width, y, "grid");
    svg.text(x0 - 8, y + 4, plot::short_number(tick), "soft end");
  }
  const double bin = width / static_cast<double>(errors.counts.size());
  for (size_t i = 0; i < errors.counts.size(); ++i) {
    const double bar = static_cast<double>(errors.counts[i]) / static_cast<double>(most) * height;
    if (bar > 0)
      svg.rect(x0 + bin * static_cast<double>(i) + 0.5, y0 - bar, bin - 1, bar, 1, "s0 fill");
  }
  svg.line(x0, y0, x0 + width, y0, "axis");
  for (const double tick : plot::ticks(errors.from, errors.to, 5)) {
    svg.line(x(tick), y0, x(tick), y0 + 4, "axis");
    svg.text(x(tick), y0 + 18, plot::short_number(tick), "soft middle");
  }
  svg.text(x0 + width, y0 + 34, "prediction - target", "soft end");
  return svg;
}

}  // namespace cornu::cli
