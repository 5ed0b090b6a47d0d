// The layout of graphs: no box overlaps another, no arrow crosses one, frames hold what is theirs.
#include <catch.h>
#include <cornu/framework/model/plot/graph_layout.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace graph_layout_test {

using namespace cornu::plot;

namespace {

constexpr double slack = 0.01;

bool overlap(const Rect& a, const Rect& b) {
  return a.x + slack < b.x + b.width && b.x + slack < a.x + a.width &&
         a.y + slack < b.y + b.height && b.y + slack < a.y + a.height;
}

bool holds(const Rect& a, const Rect& b) {
  return b.x >= a.x - slack && b.y >= a.y - slack && b.x + b.width <= a.x + a.width + slack &&
         b.y + b.height <= a.y + a.height + slack;
}

bool is_in(const LayoutInput& graph, int cluster, int outer) {
  while (cluster >= 0 && cluster != outer)
    cluster = graph.clusters[static_cast<size_t>(cluster)].parent;
  return cluster == outer;
}

// Whether the straight line from p to q runs through the inside of the rectangle.
bool crosses(Point p, Point q, const Rect& r) {
  for (int i = 0; i <= 200; ++i) {
    const double t = i / 200.0, x = p.x + t * (q.x - p.x), y = p.y + t * (q.y - p.y);
    if (x > r.x + 0.5 && x < r.x + r.width - 0.5 && y > r.y + 0.5 && y < r.y + r.height - 0.5)
      return true;
  }
  return false;
}

void check(const LayoutInput& graph) {
  const GraphLayout layout = layout_graph(graph);
  REQUIRE(layout.boxes.size() == graph.boxes.size());
  REQUIRE(layout.edges.size() == graph.edges.size());
  int overlaps = 0, outside = 0, wrong_frames = 0, crossed = 0, loose = 0;
  const Rect all{0, 0, layout.width, layout.height};
  for (size_t a = 0; a < layout.boxes.size(); ++a) {
    outside += !holds(all, layout.boxes[a]);
    for (size_t b = a + 1; b < layout.boxes.size(); ++b)
      overlaps += overlap(layout.boxes[a], layout.boxes[b]);
    for (size_t c = 0; c < layout.clusters.size(); ++c) {
      const bool inside = is_in(graph, graph.boxes[a].cluster, static_cast<int>(c));
      wrong_frames += inside ? !holds(layout.clusters[c], layout.boxes[a])
                             : overlap(layout.clusters[c], layout.boxes[a]);
    }
  }
  for (size_t e = 0; e < layout.edges.size(); ++e) {
    const auto& way = layout.edges[e];
    REQUIRE(way.size() >= 4);
    REQUIRE(way.size() % 2 == 0);
    // Ends touch their boxes.
    const Rect& from = layout.boxes[static_cast<size_t>(graph.edges[e].first)];
    const Rect& to = layout.boxes[static_cast<size_t>(graph.edges[e].second)];
    const auto touches = [](Point p, const Rect& r) {
      return p.x >= r.x - 0.01 && p.x <= r.x + r.width + 0.01 && p.y >= r.y - 0.01 &&
             p.y <= r.y + r.height + 0.01;
    };
    loose += !touches(way.front(), from) || !touches(way.back(), to);
    for (size_t i = 0; i + 1 < way.size(); ++i)
      for (const Rect& box : layout.boxes) crossed += crosses(way[i], way[i + 1], box);
  }
  CHECK(overlaps == 0);
  CHECK(outside == 0);
  CHECK(wrong_frames == 0);
  CHECK(crossed == 0);
  CHECK(loose == 0);
}

}  // namespace

TEST_CASE("A chain stands in one column") {
  LayoutInput graph;
  for (int i = 0; i < 5; ++i) graph.boxes.push_back({100.0 + 20 * i, 40});
  for (int i = 0; i < 4; ++i) graph.edges.emplace_back(i, i + 1);
  check(graph);
  const GraphLayout layout = layout_graph(graph);
  for (int i = 1; i < 5; ++i) {
    const Rect &above = layout.boxes[static_cast<size_t>(i - 1)],
               &box = layout.boxes[static_cast<size_t>(i)];
    CHECK(box.y > above.y + above.height);
    CHECK(box.x + box.width / 2 == Approx(above.x + above.width / 2).margin(1));
  }
}

TEST_CASE("Directions turn the drawing") {
  LayoutInput graph;
  graph.boxes = {{100, 40}, {80, 60}};
  graph.edges = {{0, 1}};
  const auto places = [&](Direction direction) {
    graph.direction = direction;
    check(graph);
    return layout_graph(graph).boxes;
  };
  auto boxes = places(Direction::down);
  CHECK(boxes[1].y > boxes[0].y);
  boxes = places(Direction::up);
  CHECK(boxes[1].y < boxes[0].y);
  boxes = places(Direction::right);
  CHECK(boxes[1].x > boxes[0].x);
  boxes = places(Direction::left);
  CHECK(boxes[1].x < boxes[0].x);
  CHECK(boxes[1].width == Approx(80));
}

TEST_CASE("Circles and loops have a place") {
  LayoutInput graph;
  graph.boxes = {{100, 40}, {100, 40}, {100, 40}};
  graph.edges = {{0, 1}, {1, 2}, {2, 1}, {1, 1}};
  check(graph);
}

TEST_CASE("No boxes") { CHECK(layout_graph({}).boxes.empty()); }

TEST_CASE("Made-up graphs with frames in frames") {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    LayoutInput graph;
    graph.direction = static_cast<Direction>(round % 4);
    const int clusters = below(4);
    for (int c = 0; c < clusters; ++c)
      graph.clusters.push_back({below(c + 1) - 1, 60.0 + below(120)});
    const int boxes = 2 + below(25);
    for (int b = 0; b < boxes; ++b)
      graph.boxes.push_back({60.0 + below(200), 30.0 + below(60), below(clusters + 1) - 1});
    // Frames hold something, as those of models do.
    for (int c = 0; c < clusters; ++c) graph.boxes.push_back({90, 40, c});
    const int count = static_cast<int>(graph.boxes.size());
    for (int e = 0; e < count * 3 / 2; ++e) {
      std::pair<int, int> edge(below(count), below(count));
      // Some circles.
      if (edge.first > edge.second && below(8) != 0) std::swap(edge.first, edge.second);
      if (std::find(graph.edges.begin(), graph.edges.end(), edge) == graph.edges.end())
        graph.edges.push_back(edge);
    }
    INFO("round " << round);
    check(graph);
  }
}

}  // namespace graph_layout_test
