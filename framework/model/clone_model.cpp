// Cloning a model layer by layer.
#include "clone_model.h"

#include <fmt/core.h>

#include <map>

#include "../base/located.h"
#include "../config/copy_scope.h"
#include "cut_graph.h"
#include "functional.h"
#include "sequential.h"

namespace cornu {
namespace {

std::shared_ptr<InputLayer> input_layer(const Tensor& t) {
  return std::dynamic_pointer_cast<InputLayer>(t.origin().node->operation);
}

Tensor fresh_input(const Tensor& t) {
  return InputLayer::from_config(input_layer(t)->get_config())->output().tensor();
}

std::shared_ptr<Layer> from_config_of(const std::shared_ptr<Layer>& layer) {
  return std::dynamic_pointer_cast<Layer>(deserialize(serialize(*layer)));
}

bool is_graph(const Layer& layer) {
  return dynamic_cast<const Functional*>(&layer) || dynamic_cast<const Sequential*>(&layer);
}

// What each layer of a model becomes: a layer that is called twice becomes one layer.
class Clones {
 public:
  explicit Clones(const CloneOptions& options) : options_(options) {}

  std::shared_ptr<Layer> of(const std::shared_ptr<Layer>& layer) {
    std::shared_ptr<Layer>& clone = clones_[layer.get()];
    if (!clone) clone = make(layer);
    return clone;
  }

 private:
  std::shared_ptr<Layer> make(const std::shared_ptr<Layer>& layer) const {
    if (options_.recursive && is_graph(*layer)) {
      CloneOptions inside = options_;
      inside.input_tensors = Nest();
      if (dynamic_cast<const Sequential*>(layer.get())) inside.call_function = {};
      return clone_model(dynamic_cast<const Model&>(*layer), inside);
    }
    if (!options_.clone_function) return from_config_of(layer);
    auto clone = options_.clone_function(layer);
    if (!clone)
      throw ValueError(
          fmt::format("clone_model: clone_function gave no layer for '{}'.", layer->name()));
    return clone;
  }

  const CloneOptions& options_;
  std::map<const Layer*, std::shared_ptr<Layer>> clones_;
};

// The caller's function, whose errors say what it did.
LayerCall calls_by(const CloneOptions& options) {
  if (!options.call_function) return {};
  return [&](const std::shared_ptr<Layer>& layer, const Arguments& arguments) {
    const Nest made =
        options.call_function(Handle<Layer>(layer), inputs_of(arguments), call_of(arguments));
    for (const Tensor& t : made.flatten())
      if (!t || !t.is_symbolic())
        throw ValueError(fmt::format(
            "clone_model: call_function gave no symbolic tensor for '{}': it returns layer(inputs, "
            "call), or what other layers make of that.",
            layer->name()));
    return made;
  };
}

void check_inputs(const Model& model, const Nest& given) {
  const size_t count = given.flatten().size(), wanted = model.inputs().flatten().size();
  if (count != wanted)
    throw ValueError(fmt::format("clone_model: '{}' has {} inputs, input_tensors holds {}.",
                                 model.name(), wanted, count));
  for (const Tensor& t : given.flatten())
    if (!t || !t.is_symbolic())
      throw ValueError(
          "clone_model: input_tensors must be symbolic: an Input({...}), or what a layer made of "
          "one.");
}

Handle<Model> clone_sequential(const Sequential& model, const CloneOptions& options) {
  if (options.call_function)
    throw ValueError(fmt::format(
        "clone_model: '{}' is a Sequential, whose layers are listed and not called: it takes no "
        "call_function. Make a Functional of it: Functional(model.inputs(), model.outputs()).",
        model.name()));
  const bool has_input = !model.input_spec().empty();
  if (!options.input_tensors.empty() && has_input) check_inputs(model, options.input_tensors);
  Nest begin = options.input_tensors;
  if (begin.empty() && has_input) begin = fresh_input(model.inputs().tensor());
  std::vector<AnyLayer> layers;
  if (!begin.empty()) {
    const auto input = input_layer(begin.tensor());
    if (!input)
      throw ValueError("clone_model: a Sequential begins with an Input, not inside of a graph.");
    layers.push_back(AnyLayer(input));
  }
  Clones clones(options);
  for (const auto& layer : model.layers()) layers.push_back(AnyLayer(clones.of(layer)));
  return std::make_shared<Sequential>(layers, Sequential::Options{model.name(), model.trainable()});
}

Handle<Model> clone_functional(const Functional& model, const CloneOptions& options) {
  Nest inputs = options.input_tensors;
  if (inputs.empty())
    inputs = model.inputs().map(fresh_input);
  else
    check_inputs(model, inputs);
  Clones clones(options);
  // Ops have no weights and serve both models.
  const auto clone_of = [&](const std::shared_ptr<Operation>& operation) {
    const auto layer = std::dynamic_pointer_cast<Layer>(operation);
    return layer ? clones.of(layer) : operation;
  };
  const Nest outputs =
      repeat_graph(model.inputs(), inputs, model.outputs(), clone_of, calls_by(options));
  return std::make_shared<Functional>(inputs, outputs,
                                      Functional::Options{model.name(), model.trainable()});
}

}  // namespace

Handle<Model> clone_model(const Model& model, const CloneOptions& options) {
  const detail::CopyScope scope;
  if (const auto* sequential = dynamic_cast<const Sequential*>(&model))
    return clone_sequential(*sequential, options);
  if (const auto* functional = dynamic_cast<const Functional*>(&model))
    return clone_functional(*functional, options);
  if (!options.input_tensors.empty() || options.clone_function || options.call_function)
    throw ValueError(fmt::format(
        "clone_model: '{}' is a subclassed model, which is made from its config alone: it takes "
        "neither input_tensors nor clone_function nor call_function.",
        model.name()));
  return std::dynamic_pointer_cast<Model>(deserialize(serialize(model)));
}

}  // namespace cornu
