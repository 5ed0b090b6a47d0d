// Scales, ticks, and few points for many.
#include "chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornu::plot {
namespace {

constexpr double axis_left = 54, axis_right = 14, axis_top = 58, axis_bottom = 40;
constexpr double plot_width = panel_width - axis_left - axis_right;
constexpr double plot_height = panel_height - axis_top - axis_bottom;
constexpr size_t most_dots = 60;  // points with a title of their own

struct Range {
  double from = std::numeric_limits<double>::infinity(), to = -from;
  void take(double v) {
    if (!std::isfinite(v)) return;
    from = std::min(from, v);
    to = std::max(to, v);
  }
  bool empty() const { return from > to; }
};

// Where values lie on an axis.
class Scale {
 public:
  Scale(Range range, bool logarithmic, double begin, double end)
      : logarithmic_(logarithmic), begin_(begin), end_(end) {
    if (range.empty()) range = {0, 1};
    // The distance between the largest numbers is none: they are measured in a larger unit.
    if (std::max(std::abs(range.from), std::abs(range.to)) > 1e300) unit_ = 1e10;
    from_ = coordinate(range.from);
    to_ = coordinate(range.to);
    if (to_ - from_ > 1e-12 * std::max(std::abs(from_), std::abs(to_))) return;
    const double room = from_ == 0 ? 1 : std::abs(from_) * 0.1;
    from_ -= room;
    to_ += room;
  }
  double operator()(double v) const {
    return begin_ + (coordinate(v) - from_) / (to_ - from_) * (end_ - begin_);
  }
  void widen(double fraction) {
    const double room = (to_ - from_) * fraction;
    from_ -= room;
    to_ += room;
  }
  double from() const { return value(from_); }
  double to() const { return value(to_); }
  std::vector<double> ticks(int count) const {
    std::vector<double> result;
    if (!logarithmic_) {
      for (const double tick : plot::ticks(from_, to_, count))
        if (std::isfinite(tick * unit_)) result.push_back(tick * unit_);
      return result;
    }
    for (int e = static_cast<int>(std::ceil(from_)); e <= static_cast<int>(std::floor(to_)); ++e)
      result.push_back(std::pow(10.0, e));
    while (result.size() > 8) {
      std::vector<double> half;
      for (size_t i = 0; i < result.size(); i += 2) half.push_back(result[i]);
      result = half;
    }
    return result;
  }

 private:
  double coordinate(double v) const { return logarithmic_ ? std::log10(v) : v / unit_; }
  double value(double c) const { return logarithmic_ ? std::pow(10.0, c) : c * unit_; }
  bool logarithmic_;
  double begin_, end_;
  double unit_ = 1;  // of from_ and to_, where they are no logarithms
  double from_ = 0, to_ = 1;
};

bool spans_decades(const Range& y) { return !y.empty() && y.from > 0 && y.to / y.from > 1000; }

void draw_axes(Svg& svg, const Scale& x, const Scale& y, const LineChart& chart, bool logarithmic,
               double left, double top) {
  const double right = left + plot_width, bottom = top + plot_height;
  for (const double tick : y.ticks(5)) {
    svg.line(left, y(tick), right, y(tick), "grid");
    svg.text(left - 8, y(tick) + 4, short_number(tick), "soft end");
  }
  svg.line(left, bottom, right, bottom, "axis");
  std::vector<double> epochs = x.ticks(6);
  std::erase_if(epochs, [](double tick) { return tick != std::floor(tick); });  // no half epochs
  if (x.from() == std::floor(x.from()) && (epochs.empty() || x(epochs[0]) - left > 36))
    epochs.insert(epochs.begin(), x.from());
  for (const double tick : epochs) {
    svg.line(x(tick), bottom, x(tick), bottom + 4, "axis");
    svg.text(x(tick), bottom + 18, short_number(tick), "soft middle");
  }
  svg.text(right, bottom + 34, chart.x_title, "soft end");
  if (logarithmic) svg.text(left, bottom + 34, "logarithmic scale", "soft");
}

void draw_legend(Svg& svg, const LineChart& chart, double left, double top) {
  std::vector<const Curve*> listed;
  for (const Curve& curve : chart.curves)
    if (curve.listed) listed.push_back(&curve);
  if (listed.size() < 2) return;
  double x = left;
  for (size_t i = 0; i < listed.size(); ++i) {
    const Curve& curve = *listed[i];
    const double width = 22 + text_width(curve.name, 12) + 16;
    if (x + width > panel_width - 28 + left && i > 0) {
      svg.text(x, top, fmt::format("+{}", listed.size() - i), "soft");
      return;
    }
    svg.path(fmt::format("M{:.1f} {:.1f}h16", x, top - 4),
             series(curve.color) + " stroke thick" + (curve.dashed ? " dashed" : ""));
    svg.text(x + 22, top, curve.name, "soft");
    x += width;
  }
}

void draw_curve(Svg& svg, const Curve& curve, const Scale& x, const Scale& y,
                const std::string& x_title) {
  std::string path;
  std::vector<Point> alone;
  for (const auto& stretch : decimate(curve, x.from(), x.to(), static_cast<int>(plot_width))) {
    if (stretch.size() == 1) alone.push_back(stretch[0]);
    for (size_t i = 0; i < stretch.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x(stretch[i].x), y(stretch[i].y));
  }
  const std::string color = series(curve.color);
  if (!path.empty()) svg.path(path, color + " stroke thick" + (curve.dashed ? " dashed" : ""));
  for (const Point& p : alone) svg.disk(x(p.x), y(p.y), 3, "", color + " fill");
  if (curve.x.size() > most_dots) return;
  for (size_t i = 0; i < curve.x.size(); ++i)
    if (std::isfinite(curve.y[i]))
      svg.disk(x(curve.x[i]), y(curve.y[i]), 4,
               fmt::format("{} {}: {} {}", x_title, short_number(curve.x[i]), curve.name,
                           short_number(curve.y[i])),
               color + " fill hit");
}

}  // namespace

std::vector<double> ticks(double from, double to, int count) {
  // Halves, whose difference is finite where the ends are.
  const double raw = (to / 2 - from / 2) / std::max(count, 1) * 2;
  if (!(raw > 0) || !std::isfinite(raw)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * power >= raw * 0.999) step = digit * power;
  std::vector<double> result;
  const double first = std::ceil(from / step - 1e-9);
  // Counted by integers: where numbers lie far from 0, the next tick may be the same number.
  for (int i = 0; i <= std::max(count, 1) + 1; ++i) {
    const double tick = (first + i) * step;
    if (!(tick - to <= step * 1e-9)) break;
    if (result.empty() || tick > result.back()) result.push_back(tick == 0 ? 0 : tick);
  }
  return result;
}

std::vector<std::vector<Point>> decimate(const Curve& curve, double from, double to, int columns) {
  std::vector<std::vector<Point>> stretches;
  const double scale = to > from ? columns / (to / 2 - from / 2) : 0;
  // Of the column at hand: its first, least, largest and last point, by place.
  size_t first = 0, least = 0, largest = 0, last = 0;
  int64_t column = -1;
  bool open = false;
  const auto flush = [&] {
    if (column < 0) return;
    size_t kept[] = {first, least, largest, last};
    std::sort(std::begin(kept), std::end(kept));
    for (size_t i = 0; i < 4; ++i)
      if (i == 0 || kept[i] != kept[i - 1])
        stretches.back().push_back({curve.x[kept[i]], curve.y[kept[i]]});
    column = -1;
  };
  for (size_t i = 0; i < curve.x.size() && i < curve.y.size(); ++i) {
    if (!std::isfinite(curve.y[i])) {
      flush();
      open = false;
      continue;
    }
    if (!open) stretches.emplace_back();
    open = true;
    const double place = (curve.x[i] / 2 - from / 2) * scale;
    const auto here =
        place > 0 ? static_cast<int64_t>(std::min(place, static_cast<double>(columns))) : 0;
    if (here != column) {
      flush();
      column = here;
      first = least = largest = i;
    }
    if (curve.y[i] < curve.y[least]) least = i;
    if (curve.y[i] > curve.y[largest]) largest = i;
    last = i;
  }
  flush();
  return stretches;
}

void draw(Svg& svg, const LineChart& chart, double left, double top) {
  Range x_range, y_range;
  for (const Curve& curve : chart.curves)
    for (size_t i = 0; i < curve.x.size(); ++i) {
      x_range.take(curve.x[i]);
      y_range.take(curve.y[i]);
    }
  const bool logarithmic = spans_decades(y_range);
  const double plot_left = left + axis_left, plot_top = top + axis_top;
  const Scale x(x_range, false, plot_left, plot_left + plot_width);
  Scale y(y_range, logarithmic, plot_top + plot_height, plot_top);
  y.widen(0.04);
  svg.text(left + 8, top + 22, chart.title, "ink title");
  draw_legend(svg, chart, left + 8, top + 42);
  draw_axes(svg, x, y, chart, logarithmic, plot_left, plot_top);
  if (y_range.empty())
    svg.text(plot_left + plot_width / 2, plot_top + plot_height / 2, "no finite value",
             "soft middle");
  for (const Curve& curve : chart.curves) draw_curve(svg, curve, x, y, chart.x_title);
}

}  // namespace cornu::plot
