// ModelGraph: a model as boxes and arrows, for drawings of it.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../model.h"
#include "graph_layout.h"

namespace cornu::plot {

/// A layer or an op. What is not known is empty.
struct GraphBox {
  std::string name = {};          ///< "dense_1"
  std::string class_name = {};    ///< "Dense"
  std::string activation = {};    ///< "relu"; empty for layers that have no such option
  std::string input_shape = {};   ///< "(None, 8)"; several in brackets
  std::string output_shape = {};  ///< the same
  std::string output_dtype = {};  ///< "float32"; empty where nothing is known of it
  bool is_input = false;          ///< whether data enters the model here
  bool has_weights = false;       ///< whether it has any
  bool trainable = true;          ///< of a layer; meaningful with has_weights
  int cluster = -1;               ///< the innermost nested model that it is in, or -1
};

/// A nested model that is drawn as a frame around its layers.
struct GraphCluster {
  std::string name;  ///< of the model
  int parent = -1;   ///< the cluster around it, or -1
};

/// The boxes and clusters of a model, by number, and the arrows between boxes: each pair once, as
/// in Keras, in the order of the calls.
struct ModelGraph {
  std::vector<GraphBox> boxes;             ///< a shared layer is one box
  std::vector<GraphCluster> clusters;      ///< parents before what is in them
  std::vector<std::pair<int, int>> edges;  ///< from, to
};

/// The direction that Graphviz's "TB", "BT", "LR" or "RL" stands for. Throws ValueError for others.
Direction direction_of(const std::string& rankdir);

/// The graph of a model. With `expand_nested`, the boxes of models inside it are those of their
/// layers. The graph of a subclassed model is found by running `call` on symbolic tensors; where
/// that does not work, as with a `call` that reads values, its layers stand there without arrows,
/// and a warning says why. Of such a model the shapes of inputs are known, but not their types.
/// Throws StateError for a model that is not built.
ModelGraph model_graph(Model& model, bool expand_nested);

}  // namespace cornu::plot
