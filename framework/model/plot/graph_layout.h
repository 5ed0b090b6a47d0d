// GraphLayout: where boxes and arrows of a directed graph go, so that no two boxes overlap.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace cornu::plot {

/// A place on the drawing, in pixels; y points down.
struct Point {
  double x = 0;  ///< from the left
  double y = 0;  ///< from the top
};

/// A rectangle by its top left corner.
struct Rect {
  double x = 0;       ///< from the left
  double y = 0;       ///< from the top
  double width = 0;   ///< to the right
  double height = 0;  ///< downwards
};

/// Where the arrows of a drawing point.
enum class Direction : uint8_t { down, up, right, left };

/// A graph that has no places yet.
struct LayoutInput {
  /// A box: its size, and the cluster that it is in, or -1.
  struct Box {
    double width = 0;   ///< in pixels
    double height = 0;  ///< in pixels
    int cluster = -1;   ///< a number of `clusters`
  };
  /// A frame around boxes and other frames.
  struct Cluster {
    int parent = -1;         ///< the frame around this one, by number, less than its own; or -1
    double title_width = 0;  ///< of the text in its upper left corner
  };
  std::vector<Box> boxes;                  ///< by number
  std::vector<Cluster> clusters;           ///< by number
  std::vector<std::pair<int, int>> edges;  ///< boxes, from and to; loops and circles may be there
  Direction direction = Direction::down;   ///< of the arrows
};

/// A graph with places.
struct GraphLayout {
  std::vector<Rect> boxes;     ///< as given; no two overlap
  std::vector<Rect> clusters;  ///< each around what is in it, and around nothing else
  /// For each edge the corners of its way. The odd stretches, from the first on, are straight; the
  /// even ones bend and lie between the boxes, where nothing is but other arrows.
  std::vector<std::vector<Point>> edges;
  double width = 0;   ///< of all
  double height = 0;  ///< of all
};

/// Room in a frame above what is in it, for its title, in pixels.
constexpr double cluster_title_height = 26;

/// Puts the boxes into layers by the longest way to them, orders each layer so that few arrows
/// cross (barycenters), and moves boxes above those that they lead to, as K. Sugiyama, S. Tagawa,
/// M. Toda, IEEE Transactions on Systems, Man, and Cybernetics 11 (1981). Equal graphs get equal
/// places.
GraphLayout layout_graph(const LayoutInput& graph);

}  // namespace cornu::plot
