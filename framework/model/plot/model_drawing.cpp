// A model's boxes and arrows as a drawing.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "graph_layout.h"
#include "model_graph.h"
#include "plot_model.h"

namespace cornu::plot {
namespace {

constexpr double margin = 16;       // around all
constexpr double text_left = 20;    // from a box's edge to its text; the bar lies between
constexpr double text_right = 14;   // behind the longest text
constexpr double line_height = 18;  // of text
constexpr double gap = 8;           // between a title and what is beside it
constexpr double head = 7;          // length of an arrow's head

struct Line {
  std::string text;
  std::string style;  // of the style sheet
  double size;
};

double bold_width(const std::string& text, double size) { return text_width(text, size) * 1.1; }

// What stands in a box: a title, with its class beside it, and lines below.
struct Card {
  std::string title, beside;
  std::vector<Line> lines;
  double width() const {
    double width = bold_width(title, 13) + (beside.empty() ? 0 : gap + text_width(beside, 12));
    for (const Line& line : lines) width = std::max(width, text_width(line.text, line.size));
    return std::max(96.0, std::ceil(text_left + width + text_right));
  }
  double height() const { return 34 + line_height * static_cast<double>(lines.size()); }
};

std::string known(const std::string& text) { return text.empty() ? "?" : text; }

Card card_of(const GraphBox& box, const PlotOptions& options) {
  Card card{.title = box.class_name, .beside = "", .lines = {}};
  if (options.show_layer_names.value_or(false)) {
    card.title = box.name;
    card.beside = box.class_name;
  }
  const auto add = [&](std::string text) { card.lines.push_back({std::move(text), "soft", 12}); };
  if (options.show_layer_activations && !box.activation.empty())
    add("activation " + box.activation);
  if (options.show_shapes && !box.is_input) add("in " + known(box.input_shape));
  if (options.show_shapes) add((box.is_input ? "" : "out ") + known(box.output_shape));
  if (options.show_dtype) add(known(box.output_dtype));
  if (options.show_trainable && box.has_weights) add(box.trainable ? "trainable" : "frozen");
  return card;
}

const char* bar_of(const GraphBox& box, const PlotOptions& options) {
  if (box.is_input) return "s2 fill";
  if (!box.has_weights) return "plain";
  return options.show_trainable && !box.trainable ? "s1 fill" : "s0 fill";
}

void draw_card(Svg& svg, const Rect& r, const Card& card, const char* bar) {
  svg.rect(r.x, r.y, r.width, r.height, 6, "box");
  svg.rect(r.x + 7, r.y + 8, 4, r.height - 16, 2, bar);
  // One element, so that what is beside the title follows it in any font.
  svg.raw(fmt::format(R"(<text x="{:.1f}" y="{:.1f}"><tspan class="ink card">{}</tspan>)"
                      R"(<tspan dx="{:g}" class="soft">{}</tspan></text>)",
                      r.x + text_left, r.y + 22, escape(card.title), gap, escape(card.beside)));
  double y = r.y + 22;
  for (const Line& line : card.lines)
    svg.text(r.x + text_left, y += line_height, line.text, line.style);
}

// A bend from p to q, where the arrow goes along the axis of the drawing's direction at both ends;
// `next` is where it goes on from q.
std::string bend(Point p, Point q, Point next, bool upright) {
  const auto along = [upright](Point a) { return upright ? a.y : a.x; };
  const auto across = [upright](Point a) { return upright ? a.x : a.y; };
  const auto text = [upright](double across, double along) {
    return upright ? fmt::format("{:.1f} {:.1f}", across, along)
                   : fmt::format("{:.1f} {:.1f}", along, across);
  };
  const std::string end = text(across(q), along(q));
  if (std::abs(across(q) - across(p)) < 2) return "L" + end;
  const double way = along(q) - along(p);
  double first = along(p) + way / 2, second = first;
  // It turns back: the bow lies opposite to where it goes on.
  if (std::abs(way) < 0.5) first = second = along(q) + (along(next) > along(q) ? -16 : 16);
  return "C" + text(across(p), first) + "," + text(across(q), second) + "," + end;
}

void draw_edge(Svg& svg, std::vector<Point> way, bool upright) {
  const Point tip = way.back(), before = way[way.size() - 2];
  const double length = std::max(std::hypot(tip.x - before.x, tip.y - before.y), 1e-6);
  const Point along{(tip.x - before.x) / length, (tip.y - before.y) / length};
  const Point base{tip.x - head * along.x, tip.y - head * along.y};
  way.back() = base;
  std::string path = fmt::format("M{:.1f} {:.1f}", way[0].x, way[0].y);
  for (size_t i = 1; i < way.size(); ++i)
    path += i % 2 == 1 ? fmt::format("L{:.1f} {:.1f}", way[i].x, way[i].y)
                       : bend(way[i - 1], way[i], way[i + 1], upright);
  svg.path(path, "edge");
  svg.path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", tip.x, tip.y,
                       base.x - along.y * 3.5, base.y + along.x * 3.5, base.x + along.y * 3.5,
                       base.y - along.x * 3.5),
           "tip");
}

}  // namespace

Direction direction_of(const std::string& rankdir) {
  if (rankdir == "TB") return Direction::down;
  if (rankdir == "BT") return Direction::up;
  if (rankdir == "LR") return Direction::right;
  if (rankdir == "RL") return Direction::left;
  throw ValueError(fmt::format(
      "option 'rankdir': '{}' is no direction. Use 'TB' (down), 'BT', 'LR' or 'RL'.", rankdir));
}

Svg model_drawing(Model& model, const PlotOptions& options) {
  LayoutInput input;
  input.direction = direction_of(options.rankdir);
  const ModelGraph graph = model_graph(model, options.expand_nested);
  std::vector<Card> cards;
  for (const GraphBox& box : graph.boxes) {
    cards.push_back(card_of(box, options));
    input.boxes.push_back({cards.back().width(), cards.back().height(), box.cluster});
  }
  for (const GraphCluster& cluster : graph.clusters)
    input.clusters.push_back({cluster.parent, bold_width(cluster.name, 12)});
  input.edges = graph.edges;
  const GraphLayout layout = layout_graph(input);
  const bool upright = input.direction == Direction::down || input.direction == Direction::up;
  Svg svg(layout.width + 2 * margin, layout.height + 2 * margin,
          fmt::format("Layers of the model {}", model.name()));
  svg.raw(fmt::format(R"x(<g transform="translate({0:g} {0:g})">)x", margin));
  for (size_t c = 0; c < layout.clusters.size(); ++c) {
    const Rect& r = layout.clusters[c];
    svg.rect(r.x, r.y, r.width, r.height, 8, "group");
  }
  for (const auto& way : layout.edges) draw_edge(svg, way, upright);
  for (size_t c = 0; c < layout.clusters.size(); ++c)
    svg.text(layout.clusters[c].x + 12, layout.clusters[c].y + 17, graph.clusters[c].name,
             "soft bold halo");
  for (size_t b = 0; b < cards.size(); ++b)
    draw_card(svg, layout.boxes[b], cards[b], bar_of(graph.boxes[b], options));
  svg.raw("</g>");
  return svg;
}

}  // namespace cornu::plot
