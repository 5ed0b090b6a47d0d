// Levels within levels: each cluster is laid out by itself and is then a box of the level around
// it.
#include "graph_layout.h"

#include <algorithm>

#include "layered_level.h"

namespace cornu::plot {
namespace {

constexpr double padding = 16;

class Layout {
 public:
  explicit Layout(const LayoutInput& graph) : graph_(graph) {}

  GraphLayout run() {
    levels_.resize(graph_.clusters.size() + 1);
    result_.boxes.resize(graph_.boxes.size());
    result_.clusters.resize(graph_.clusters.size());
    result_.edges.resize(graph_.edges.size());
    for (int cluster = static_cast<int>(graph_.clusters.size()) - 1; cluster >= -1; --cluster)
      arrange(cluster);
    put(-1, {0, 0});
    for (size_t e = 0; e < graph_.edges.size(); ++e) result_.edges[e] = way_of(e);
    result_.width = level(-1).level.width;
    result_.height = level(-1).level.height;
    turn();
    return std::move(result_);
  }

 private:
  // A cluster's inside, or all; arrows point down.
  struct Inside {
    LayeredLevel level;
    std::vector<int> box_nodes, cluster_nodes;  // by number of box and cluster; -1: not here
    std::vector<int> links;                     // by edge; -1: not here
    std::vector<int> entries, exits;            // nodes by edge; -1: none
    Point origin;
  };
  // Room between a frame and what is in it: before and behind along the arrows, and across.
  struct Frame {
    double before = padding, behind = padding, left = padding, right = padding;
  };

  bool upright() const {
    return graph_.direction == Direction::down || graph_.direction == Direction::up;
  }
  Inside& level(int cluster) { return levels_[static_cast<size_t>(cluster + 1)]; }
  int parent(int cluster) const { return graph_.clusters[static_cast<size_t>(cluster)].parent; }

  Frame frame(int cluster) const {
    if (cluster < 0) return {0, 0, 0, 0};
    Frame frame;
    if (graph_.direction == Direction::down) frame.before = cluster_title_height;
    if (graph_.direction == Direction::up) frame.behind = cluster_title_height;
    if (!upright()) frame.left = cluster_title_height;
    return frame;
  }

  // The node of `cluster`'s level that holds the box, or -1.
  int node_of(int box, int cluster) {
    int inner = graph_.boxes[static_cast<size_t>(box)].cluster;
    if (inner == cluster) return level(cluster).box_nodes[static_cast<size_t>(box)];
    while (inner >= 0 && parent(inner) != cluster) inner = parent(inner);
    return inner >= 0 ? level(cluster).cluster_nodes[static_cast<size_t>(inner)] : -1;
  }

  void add_nodes(Inside& inside, int cluster) {
    inside.box_nodes.assign(graph_.boxes.size(), -1);
    inside.cluster_nodes.assign(graph_.clusters.size(), -1);
    const auto add = [&](double width, double height) {
      inside.level.nodes.push_back({upright() ? width : height, upright() ? height : width});
      return static_cast<int>(inside.level.nodes.size()) - 1;
    };
    // In the order of the calls: that of the first box in each.
    for (size_t b = 0; b < graph_.boxes.size(); ++b) {
      const auto& box = graph_.boxes[b];
      if (box.cluster == cluster) inside.box_nodes[b] = add(box.width, box.height);
      int inner = box.cluster;
      while (inner >= 0 && inner != cluster && parent(inner) != cluster) inner = parent(inner);
      if (inner < 0 || inner == cluster) continue;
      int& node = inside.cluster_nodes[static_cast<size_t>(inner)];
      const LayeredLevel& within = level(inner).level;
      if (node < 0) {
        inside.level.nodes.push_back({within.width, within.height});
        node = static_cast<int>(inside.level.nodes.size()) - 1;
      }
    }
  }

  // Where an edge meets the frame of a cluster that its end is in, from the frame's middle.
  double offset(int box, int cluster, size_t edge, bool leaves) {
    int inner = graph_.boxes[static_cast<size_t>(box)].cluster;
    if (inner == cluster) return 0;
    while (parent(inner) != cluster) inner = parent(inner);
    const Inside& within = level(inner);
    const int node = leaves ? within.exits[edge] : within.entries[edge];
    return within.level.nodes[static_cast<size_t>(node)].x - within.level.width / 2;
  }

  void add_links(Inside& inside, int cluster) {
    inside.links.assign(graph_.edges.size(), -1);
    inside.entries.assign(graph_.edges.size(), -1);
    inside.exits.assign(graph_.edges.size(), -1);
    const auto add_port = [&](LayeredLevel::Kind kind) {
      inside.level.nodes.push_back({0, 0, kind});
      return static_cast<int>(inside.level.nodes.size()) - 1;
    };
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const auto [a, b] = graph_.edges[e];
      int from = node_of(a, cluster), to = node_of(b, cluster);
      const bool own = graph_.boxes[static_cast<size_t>(a)].cluster == cluster;
      if ((from < 0 && to < 0) || (from == to && !own)) continue;
      const double begin = from < 0 ? 0 : offset(a, cluster, e, true);
      const double end = to < 0 ? 0 : offset(b, cluster, e, false);
      if (from < 0) from = inside.entries[e] = add_port(LayeredLevel::Kind::entry);
      if (to < 0) to = inside.exits[e] = add_port(LayeredLevel::Kind::exit);
      inside.links[e] = static_cast<int>(inside.level.links.size());
      inside.level.links.push_back({from, to, begin, end});
    }
  }

  void arrange(int cluster) {
    Inside& inside = level(cluster);
    add_nodes(inside, cluster);
    add_links(inside, cluster);
    inside.level.arrange();
    const Frame room = frame(cluster);
    const double title =
        cluster < 0 ? 0 : graph_.clusters[static_cast<size_t>(cluster)].title_width + 2 * padding;
    LayeredLevel& l = inside.level;
    const double spare =
        upright() ? std::max(0.0, title - l.width - room.left - room.right) / 2 : 0;
    const Point shift{room.left + spare, room.before};
    for (auto& node : l.nodes) node.x += shift.x, node.y += shift.y;
    for (auto& link : l.links)
      for (Point& p : link.way) p.x += shift.x, p.y += shift.y;
    l.width += room.left + room.right + 2 * spare;
    l.height += room.before + room.behind;
    if (!upright()) l.height = std::max(l.height, title);
  }

  // Adds up the places of levels within levels.
  void put(int cluster, Point origin) {
    Inside& inside = level(cluster);
    inside.origin = origin;
    const auto rect = [&](int node) {
      const auto& n = inside.level.nodes[static_cast<size_t>(node)];
      return Rect{origin.x + n.x, origin.y + n.y, n.width, n.height};
    };
    for (size_t b = 0; b < graph_.boxes.size(); ++b)
      if (inside.box_nodes[b] >= 0) result_.boxes[b] = rect(inside.box_nodes[b]);
    for (size_t c = 0; c < graph_.clusters.size(); ++c) {
      if (inside.cluster_nodes[c] < 0) continue;
      result_.clusters[c] = rect(inside.cluster_nodes[c]);
      put(static_cast<int>(c), {result_.clusters[c].x, result_.clusters[c].y});
    }
  }

  // The stretches of an edge: out of the clusters around its begin, and into those around its end.
  std::vector<Point> way_of(size_t edge) {
    const auto [a, b] = graph_.edges[edge];
    std::vector<int> out, in;
    for (int c = graph_.boxes[static_cast<size_t>(a)].cluster;; c = parent(c)) {
      out.push_back(c);
      if (c < 0 || level(c).exits[edge] < 0) break;
    }
    for (int c = graph_.boxes[static_cast<size_t>(b)].cluster; c != out.back(); c = parent(c))
      in.push_back(c);
    out.insert(out.end(), in.rbegin(), in.rend());
    std::vector<Point> way;
    for (const int c : out) {
      const Inside& inside = level(c);
      std::vector<Point> stretch = inside.level.links[static_cast<size_t>(inside.links[edge])].way;
      for (Point& p : stretch) p.x += inside.origin.x, p.y += inside.origin.y;
      // The end of one stretch and the begin of the next are in the middle of one straight line.
      if (!way.empty()) way.pop_back();
      way.insert(way.end(), stretch.begin() + (way.empty() ? 0 : 1), stretch.end());
    }
    return way;
  }

  Point turned(Point p) const {
    switch (graph_.direction) {
      case Direction::up:
        return {p.x, result_.height - p.y};
      case Direction::right:
        return {p.y, p.x};
      case Direction::left:
        return {result_.height - p.y, p.x};
      default:
        return p;
    }
  }

  void turn() {
    const auto turn_rect = [&](Rect& r) {
      const Point a = turned({r.x, r.y}), b = turned({r.x + r.width, r.y + r.height});
      r = {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
    };
    for (Rect& r : result_.boxes) turn_rect(r);
    for (Rect& r : result_.clusters) turn_rect(r);
    for (auto& way : result_.edges)
      for (Point& p : way) p = turned(p);
    if (!upright()) std::swap(result_.width, result_.height);
  }

  const LayoutInput& graph_;
  std::vector<Inside> levels_;  // of all first, then of the clusters
  GraphLayout result_;
};

}  // namespace

GraphLayout layout_graph(const LayoutInput& graph) { return Layout(graph).run(); }

}  // namespace cornu::plot
