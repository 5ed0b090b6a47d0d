// clone_model: a model of new layers, connected as those of another are.
#pragma once
#include <functional>

#include "model.h"

namespace cornu {

/// Options of clone_model, as in Keras.
struct CloneOptions {
  /// Where the clone of a Functional or Sequential model begins, in the form of the model's inputs;
  /// default: new Inputs of the same names and shapes.
  Nest input_tensors = {};
  /// The layer that takes a layer's place; it may be the layer itself. Default: one made from the
  /// layer's config. Inputs are not given to it.
  std::function<std::shared_ptr<Layer>(const std::shared_ptr<Layer>& layer)> clone_function = {};
  /// What calls the layers of a Functional's clone, so that other layers can be put before or
  /// behind them: it gets the layer of the clone, the inputs and what else the call is told, and
  /// returns what takes the place of the outputs. Default: `layer(inputs, call)`. Ops are not given
  /// to it.
  std::function<Nest(const Handle<Layer>& layer, const Nest& inputs, const Call& call)>
      call_function = {};
  /// Clones the layers of models inside by clone_function too, instead of giving it those models.
  bool recursive = false;
};

/// A model with the layers of `model` made anew, with fresh weights, and not compiled: for a
/// teacher and its student, for ensembles, or to put other layers in the place of some. A
/// Sequential gives a Sequential, a Functional a Functional; a subclassed model is made from its
/// config, so its class must be registered, and it takes no other option. Throws ValueError for
/// options that the model cannot have (call_function is for a Functional alone; of the models
/// inside, recursive hands it to those), and StateError for layers of classes that are not
/// registered. Functions in options, as a Lambda's, are shared by both models, with a name or
/// without.
Handle<Model> clone_model(const Model& model, const CloneOptions& options = {});
/// The same for a model that is held by a handle.
template <std::derived_from<Model> T>
Handle<Model> clone_model(const std::shared_ptr<T>& model, const CloneOptions& options = {}) {
  return clone_model(*model, options);
}
/// The same.
template <std::derived_from<Model> T>
Handle<Model> clone_model(const Handle<T>& model, const CloneOptions& options = {}) {
  return clone_model(*model, options);
}

}  // namespace cornu
