// plot_model: a picture of a model's layers, as keras.utils.plot_model makes with Graphviz.
#pragma once
#include <concepts>
#include <optional>
#include <string>

#include "../model.h"
#include "svg.h"

namespace cornu {

/// Options of model_to_dot and plot_model, as in Keras.
struct PlotOptions {
  bool show_shapes = false;  ///< whether boxes have the shapes of inputs and outputs
  bool show_dtype = false;   ///< whether boxes have the outputs' dtypes
  /// Whether boxes have the layers' names beside their classes; by default those of model_to_dot
  /// have and those of plot_model have not, as in Keras.
  std::optional<bool> show_layer_names = {};
  std::string rankdir = "TB";  ///< where arrows point: "TB" is down, "BT", "LR" and "RL"
  /// Whether models inside the model are frames around their layers instead of one box.
  bool expand_nested = false;
  int dpi = 200;  ///< of pixels that Graphviz makes from DOT; SVG has no pixels
  bool show_layer_activations = false;  ///< whether boxes have the option `activation`
  bool show_trainable = false;          ///< whether boxes say which weights are frozen
  std::string splines = "ortho";        ///< how Graphviz draws arrows; SVG has curves
};

/// The model as text in Graphviz's language DOT, with the nodes, labels and edges of
/// keras.utils.model_to_dot. A subclassed model has the layers and ops that its `call` reaches,
/// where Keras has a single box. Throws StateError for a model that is not built, ValueError for an
/// unknown rankdir.
std::string model_to_dot(Model& model, const PlotOptions& options = {});

namespace plot {
/// What plot_model does.
void write_model(Model& model, const std::string& to_file, const PlotOptions& options);
}  // namespace plot

/// Writes a picture of the model: a drawing for browsers (".svg"), which needs no Graphviz, or the
/// text of model_to_dot (".dot"). In the drawing a bar tells inputs (green), layers with weights
/// (blue) and without (gray). Throws ValueError for another ending of the name, FileError when the
/// file cannot be written, and what model_to_dot throws.
/// A template, so that braces are options.
template <std::convertible_to<std::string> Name>
void plot_model(Model& model, const Name& to_file, const PlotOptions& options = {}) {
  plot::write_model(model, to_file, options);
}
/// The same into "model.svg".
inline void plot_model(Model& model, const PlotOptions& options = {}) {
  plot::write_model(model, "model.svg", options);
}

namespace plot {
/// The drawing that plot_model writes, for a page of several.
Svg model_drawing(Model& model, const PlotOptions& options = {});
}  // namespace plot

}  // namespace cornu
