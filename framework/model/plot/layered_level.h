// LayeredLevel: the layers, orders and places of one level of a graph, from top to bottom.
#pragma once
#include <vector>

#include "graph_layout.h"

namespace cornu::plot {

/// Nodes and links of one level of a drawing whose arrows point down. arrange() gives them places.
struct LayeredLevel {
  /// Where a node stands among the others.
  enum class Kind : uint8_t {
    box,    ///< anywhere
    entry,  ///< above all boxes: where an arrow comes in from outside
    exit    ///< below all boxes: where one goes out
  };
  /// Something with a size.
  struct Node {
    double width = 0;       ///< in pixels
    double height = 0;      ///< in pixels
    Kind kind = Kind::box;  ///< entries and exits have no size
    double x = 0;           ///< of the top left corner; set by arrange
    double y = 0;           ///< of the top left corner; set by arrange
    int layer = 0;          ///< from 0, the top; set by arrange
  };
  /// An arrow. It leaves its node at the bottom and comes in at the top.
  struct Link {
    int from = 0;                 ///< numbers of nodes
    int to = 0;                   ///< numbers of nodes
    double from_offset = 0;       ///< of its ends from the nodes' middles
    double to_offset = 0;         ///< of its ends from the nodes' middles
    std::vector<Point> way = {};  ///< as GraphLayout::edges; set by arrange
  };
  std::vector<Node> nodes;  ///< by number
  std::vector<Link> links;  ///< in any order
  double width = 0;         ///< of all; set by arrange
  double height = 0;        ///< of all; set by arrange

  void arrange();  ///< finds all places
};

}  // namespace cornu::plot
