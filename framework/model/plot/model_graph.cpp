// Finding the boxes and arrows of stacks, graphs, and models that are known by running them.
#include "model_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../../backend/log.h"
#include "../../base/call_scope.h"
#include "../../base/class_of.h"
#include "../../ops/catalog.h"
#include "../functional.h"
#include "../sequential.h"

namespace cornu::plot {
namespace {

// The boxes through which data enters and leaves an operation, by number of the tensor; one stands
// for all.
struct Ends {
  std::vector<int> in, out;
};

int end_at(const std::vector<int>& ends, size_t index) {
  if (ends.empty()) return -1;
  return ends[std::min(index, ends.size() - 1)];
}

struct Traced {
  Nest inputs, outputs;
};

// As Keras shows a single tensor, a list and a dictionary of them.
std::string nested_text(const Nest& nest, std::string (*text)(const Tensor&)) {
  if (nest.empty()) return "";
  if (nest.is_tensor()) return text(nest.tensor());
  std::string list;
  const auto append = [&](const std::string& entry) { list += (list.empty() ? "" : ", ") + entry; };
  if (nest.is_dict()) {
    for (const auto& [key, n] : nest.entries()) append(key + ": " + nested_text(n, text));
    return list;
  }
  for (const Nest& n : nest.list()) append(nested_text(n, text));
  return "[" + list + "]";
}

Nest of_tensors(std::vector<Tensor> tensors) {
  return tensors.size() == 1 ? Nest(tensors[0]) : Nest(tensors);
}

std::vector<Tensor> symbolic(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors)
    if (t.is_symbolic()) result.push_back(t);
  return result;
}

// The name of the option `activation`, whether it is a function or a layer.
std::string activation_of(const Layer& layer) {
  Value::Dict config;
  try {
    config = layer.get_config();
  } catch (const Error&) {
    return "";  // a layer with an option that no file can hold
  }
  const Value* value = detail::find(config, "activation");
  if (value && value->is<Value::Dict>()) {
    const Value* inner = detail::find(value->get<Value::Dict>(), "config");
    if (inner && inner->is<Value::Dict>()) inner = detail::find(inner->get<Value::Dict>(), "name");
    value = inner;
  }
  return value && value->is<std::string>() ? value->get<std::string>() : "";
}

// Specs of the shapes that a model was built for. Its batches may have any size.
Nest specs_of_shapes(const Value& v) {
  if (v.is<Value::Dict>()) {
    Nest::Dict dict;
    for (const auto& [key, e] : v.get<Value::Dict>()) dict.emplace_back(key, specs_of_shapes(e));
    return Nest::dict(dict);
  }
  if (!v.is<Value::List>()) return {};
  const auto& list = v.get<Value::List>();
  if (!list.empty() && !list[0].is_null() && !list[0].is_number()) {
    Nest::List nests;
    for (const Value& e : list) nests.push_back(specs_of_shapes(e));
    return Nest(std::move(nests));
  }
  Shape shape = detail::from_value<Shape>(v);
  if (shape.rank() > 0) shape[0] = Shape::unknown;
  return Tensor::abstract(shape, DType::float32);
}

Nest inputs_of(const Model& model) {
  Nest spec = model.input_spec();
  if (!spec.empty()) return spec;
  const Value::Dict built = model.get_build_config();
  const Value* shapes = detail::find(built, "input_shape");
  return shapes ? specs_of_shapes(*shapes) : Nest();
}

// What a layer gives for such inputs; nothing where that is not known before it runs.
Nest outputs_of(Layer& layer, const Nest& inputs) {
  if (inputs.empty()) return {};
  try {
    return layer.compute_output_spec(inputs);
  } catch (const Error&) {
    return {};
  }
}

void warn_of_missing_arrows(const Model& model, const std::string& why) {
  warn_once(fmt::format(
      "the picture of model '{}' has no arrows between its layers, as its call cannot be run on "
      "symbolic tensors: {}",
      model.name(), why));
}

// Runs a model's own `call` on symbolic tensors, so that the layers and ops in it make a graph.
std::optional<Traced> trace(Model& model, const Nest& spec) {
  try {
    if (spec.empty()) throw StateError("the shapes of its inputs are not known.");
    Traced traced;
    traced.inputs = spec.map([](const Tensor& t) {
      return make<InputLayer>(InputConfig{.dtype = t.dtype(), .batch_shape = t.shape()})->output();
    });
    const InferenceScope nothing_changes;
    const LossScope losses;
    const CallScope scope(model, false);
    traced.outputs = model.call_many(traced.inputs, {.training = false});
    const std::vector<Tensor> outputs = traced.outputs.flatten();
    if (outputs.empty() || symbolic(outputs).size() != outputs.size())
      throw StateError("what it returns does not depend on the inputs alone.");
    return traced;
  } catch (const Error& e) {
    warn_of_missing_arrows(model, e.what());
    return {};
  }
}

// The calls between inputs and outputs, in the order in which they were made.
std::vector<std::shared_ptr<Node>> calls_between(const Nest& inputs, const Nest& outputs) {
  std::set<const Node*> given, seen;
  for (const Tensor& t : inputs.flatten()) given.insert(t.origin().node.get());
  std::vector<std::shared_ptr<Node>> nodes, open;
  const auto visit = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& t : symbolic(tensors))
      if (seen.insert(t.origin().node.get()).second) open.push_back(t.origin().node);
  };
  visit(inputs.flatten());
  visit(outputs.flatten());
  while (!open.empty()) {
    nodes.push_back(open.back());
    open.pop_back();
    if (!given.count(nodes.back().get())) visit(nodes.back()->arguments.tensors());
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a->serial < b->serial; });
  return nodes;
}

class Builder {
 public:
  explicit Builder(bool expand_nested) : expand_nested_(expand_nested) {}

  ModelGraph build(Model& model) {
    dtypes_known_ = !model.input_spec().empty();
    const Nest inputs = inputs_of(model);
    if (!add_inside(model, inputs, -1)) add_without_arrows(model, inputs);
    return std::move(graph_);
  }

 private:
  // The layers of a model, where they and their order are known.
  std::optional<Ends> add_inside(Model& model, const Nest& inputs, int cluster) {
    if (auto* stack = dynamic_cast<Sequential*>(&model)) return add_stack(*stack, inputs, cluster);
    if (auto* graph = dynamic_cast<Functional*>(&model))
      return add_calls(graph->inputs(), graph->outputs(), cluster);
    const std::optional<Traced> traced = trace(model, inputs);
    if (!traced) return {};
    if (!dtypes_known_ && traced_.empty())
      for (const Tensor& t : traced->inputs.flatten())
        guessed_.insert(t.origin().node->operation.get());
    traced_.push_back(*traced);  // boxes are known by their operations, which live with the graph
    return add_calls(traced->inputs, traced->outputs, cluster);
  }

  void add_without_arrows(Model& model, const Nest& inputs) {
    const auto layers = model.sublayers();
    for (const auto& layer : layers) add(*layer, {}, {}, -1);
    if (layers.empty()) add_box(model, inputs, outputs_of(model, inputs), -1);
  }

  Ends add_stack(Sequential& model, Nest x, int cluster) {
    Ends all;
    for (const auto& layer : model.layers()) {
      const Nest y = outputs_of(*layer, x);
      const Ends ends = add(*layer, x, y, cluster);
      for (size_t i = 0; i < std::max(all.out.size(), ends.in.size()); ++i)
        connect(end_at(all.out, i), end_at(ends.in, i));
      if (all.in.empty()) all.in = ends.in;
      all.out = ends.out;
      x = y;
    }
    return all;
  }

  Ends add_calls(const Nest& inputs, const Nest& outputs, int cluster) {
    std::set<const Node*> given;
    for (const Tensor& t : inputs.flatten()) given.insert(t.origin().node.get());
    for (const auto& node : calls_between(inputs, outputs)) {
      const std::vector<Tensor> arguments = symbolic(node->arguments.tensors());
      const bool is_given = given.count(node.get()) > 0;
      const Nest in = is_given ? node->outputs : of_tensors(arguments);
      const Ends ends = add(*node->operation, in, of_tensors(node->outputs.flatten()), cluster);
      for (size_t i = 0; i < arguments.size() && !is_given; ++i)
        connect(source_of(arguments[i]), end_at(ends.in, i));
    }
    Ends all;
    for (const Tensor& t : inputs.flatten()) all.in.push_back(source_of(t));
    for (const Tensor& t : outputs.flatten()) all.out.push_back(source_of(t));
    return all;
  }

  int source_of(const Tensor& t) const {
    const auto found = ends_.find(t.origin().node->operation.get());
    return found == ends_.end() ? -1
                                : end_at(found->second.out, static_cast<size_t>(t.origin().index));
  }

  // A box, or those of a nested model; once for each operation.
  Ends add(Operation& operation, const Nest& inputs, const Nest& outputs, int cluster) {
    if (const auto found = ends_.find(&operation); found != ends_.end()) return found->second;
    auto* model = dynamic_cast<Model*>(&operation);
    std::optional<Ends> inside;
    if (model && expand_nested_) {
      const int frame = static_cast<int>(graph_.clusters.size());
      graph_.clusters.push_back({model->name(), cluster});
      inside = add_inside(*model, inputs, frame);
      if (!inside || inside->in.empty()) {
        graph_.clusters.resize(static_cast<size_t>(frame));
        inside.reset();
      }
    }
    return ends_[&operation] = inside ? *inside : add_box(operation, inputs, outputs, cluster);
  }

  Ends add_box(const Operation& operation, const Nest& inputs, const Nest& outputs, int cluster) {
    GraphBox box{.name = operation.name(), .class_name = class_of(operation)};
    box.cluster = cluster;
    box.is_input = dynamic_cast<const InputLayer*>(&operation) != nullptr;
    const auto* model = dynamic_cast<const Functional*>(&operation);
    const auto shape = [](const Tensor& t) { return t.shape().str(); };
    const auto dtype = [](const Tensor& t) { return std::string(dtype_name(t.dtype())); };
    // Keras shows a nested model's inputs as it was made with them, and other calls' as a list.
    box.input_shape = nested_text(model ? model->inputs() : inputs, shape);
    box.output_shape = nested_text(model ? model->outputs() : outputs, shape);
    if (!guessed_.contains(&operation))
      box.output_dtype = nested_text(model ? model->outputs() : outputs, dtype);
    if (const auto* layer = dynamic_cast<const Layer*>(&operation)) {
      box.activation = activation_of(*layer);
      box.has_weights = !layer->weights().empty();
      box.trainable = layer->trainable();
    }
    graph_.boxes.push_back(std::move(box));
    const int number = static_cast<int>(graph_.boxes.size()) - 1;
    return {{number}, {number}};
  }

  void connect(int from, int to) {
    if (from >= 0 && to >= 0 && connected_.emplace(from, to).second)
      graph_.edges.emplace_back(from, to);
  }

  bool expand_nested_;
  ModelGraph graph_;
  std::map<const Operation*, Ends> ends_;
  std::set<std::pair<int, int>> connected_;
  std::vector<Traced> traced_;
  bool dtypes_known_ = true;            // of the model's inputs
  std::set<const Operation*> guessed_;  // inputs, where they are not
};

}  // namespace

ModelGraph model_graph(Model& model, bool expand_nested) {
  if (!model.built())
    throw StateError(fmt::format(
        "model '{}' is not built yet, so its layers' shapes are not known. Call it on data, or "
        "give it an Input, first.",
        model.name()));
  return Builder(expand_nested).build(model);
}

}  // namespace cornu::plot
