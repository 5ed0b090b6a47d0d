// Finding a graph's nodes, ordering them, and running them.
#include "functional.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "../base/call_scope.h"
#include "checkpoint_segments.h"
#include "cut_graph.h"
#include "names.h"
#include "standardize.h"

namespace cornu {
namespace {

// Throws ValueError for a tensor with values among the model's inputs or outputs; `place` is where
// in them the nest is, such as "[1]" or "['mask']".
void expect_symbolic(const Nest& nest, const char* what, const std::string& place,
                     const char* advice) {
  if (nest.is_list()) {
    for (size_t i = 0; i < nest.size(); ++i)
      expect_symbolic(nest.list()[i], what, fmt::format("{}[{}]", place, i), advice);
  } else if (nest.is_dict()) {
    for (const auto& [key, entry] : nest.entries())
      expect_symbolic(entry, what, fmt::format("{}['{}']", place, key), advice);
  } else if (const Tensor& t = nest.tensor(); !t || !t.is_symbolic()) {
    const std::string which =
        place.empty() ? fmt::format("the {}", what) : fmt::format("{}s{}", what, place);
    throw ValueError(fmt::format("Functional: {}, {}, is not a symbolic tensor. {}", which,
                                 t ? "of shape " + t.shape().str() : "an empty tensor", advice));
  }
}

}  // namespace

Functional::Functional(const Nest& inputs, const Nest& outputs, Options options)
    : inputs_(inputs), outputs_(outputs) {
  set_base(options.name, options.trainable, {});
  supports_masking_ = true;
  // Each layer casts for itself.
  autocast_ = false;
  expect_symbolic(inputs, "input", "",
                  "It comes from Input({...}), or is what a layer of another model gives, as "
                  "layer->output().");
  expect_symbolic(outputs, "output", "", "It was not computed from an Input.");
  cut_graph(inputs_, outputs_);
  collect();
  find_last_uses();
  order_operations();
  make_names_unique(operations_, *this);
  ensure_built(Functional::input_spec());
}

// Of derived classes too: the constructor, which needs a name, does not know them yet.
std::string Functional::base_name() const { return "functional"; }

int Functional::place(const Tensor& symbolic) const {
  const auto found = places_.find(symbolic.origin().node.get());
  return found == places_.end() ? -1 : found->second + symbolic.origin().index;
}

void Functional::collect() {
  std::set<const Node*> given;
  for (const Tensor& t : inputs_.flatten()) given.insert(t.origin().node.get());
  // All nodes that the outputs need, found without recursion: graphs may be deep.
  // By node, not by layer: a shared layer is called once per node.
  std::vector<std::shared_ptr<Node>> nodes, open;
  std::set<const Node*> seen;
  auto visit = [&](const Tensor& t) {
    if (t.is_symbolic() && seen.insert(t.origin().node.get()).second)
      open.push_back(t.origin().node);
  };
  for (const Tensor& t : inputs_.flatten()) visit(t);
  for (const Tensor& t : outputs_.flatten()) visit(t);
  while (!open.empty()) {
    const std::shared_ptr<Node> node = open.back();
    open.pop_back();
    nodes.push_back(node);
    // What lies before an input is not part of the model: inputs cut the graph.
    if (given.count(node.get())) continue;
    if (dynamic_cast<InputLayer*>(node->operation.get()))
      throw ValueError(fmt::format(
          "Functional: the outputs depend on the Input '{}', which is not among the inputs.",
          node->operation->name()));
    for (const Tensor& t : node->arguments.tensors()) visit(t);
  }
  // Nodes were made after the nodes that they depend on.
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a->serial < b->serial; });
  for (const auto& node : nodes) {
    Step step{node,  nullptr, -1, value_count_, static_cast<int>(node->outputs.flatten().size()),
              false, {}};
    places_[node.get()] = value_count_;
    value_count_ += step.output_count;
    step.given = given.count(node.get()) > 0;
    const auto& arguments = node->arguments;
    auto* layer = dynamic_cast<Layer*>(node->operation.get());
    if (layer && !step.given && arguments.named.empty() && arguments.positional.size() == 1 &&
        arguments.positional[0].is<Tensor>() && step.output_count == 1 &&
        node->outputs.is_tensor()) {
      // A layer with one tensor in and out is called without building nests, which most steps of
      // most models are.
      step.simple = layer;
      step.input = place(arguments.positional[0].get<Tensor>());
    }
    steps_.push_back(step);
  }
}

// So that a value's memory is free again as soon as nobody needs it.
void Functional::find_last_uses() {
  std::vector<int> last(static_cast<size_t>(value_count_), -1);
  for (size_t i = 0; i < steps_.size(); ++i)
    for (const Tensor& t : steps_[i].node->arguments.tensors())
      if (t.is_symbolic())
        if (const int p = place(t); p >= 0) last[static_cast<size_t>(p)] = static_cast<int>(i);
  // Results are needed after the last step.
  for (const Tensor& t : outputs_.flatten()) last[static_cast<size_t>(place(t))] = -1;
  for (size_t p = 0; p < last.size(); ++p)
    if (last[p] >= 0) steps_[static_cast<size_t>(last[p])].finished.push_back(static_cast<int>(p));
}

void Functional::order_operations() {
  // Keras's order: by decreasing depth (the longest way to an output), then as a depth-first walk
  // from the outputs enters the operations.
  std::unordered_map<const Node*, int> depth;
  std::unordered_map<const Operation*, int> operation_depth, entered;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Node* node = step->node.get();
    int& own = operation_depth[node->operation.get()];
    int d = std::max(depth[node], own);
    depth[node] = own = d;
    for (const Tensor& t : node->arguments.tensors())
      if (t.is_symbolic()) {
        int& below = depth[t.origin().node.get()];
        below = std::max(below, d + 1);
      }
  }
  std::vector<const Node*> stack;
  std::set<const Node*> seen;
  auto walk = [&](const Tensor& output) {
    stack.push_back(output.origin().node.get());
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!seen.insert(node).second) continue;
      entered.emplace(node->operation.get(), static_cast<int>(entered.size()));
      std::vector<Tensor> inputs = node->arguments.tensors();
      for (auto t = inputs.rbegin(); t != inputs.rend(); ++t)
        if (t->is_symbolic()) stack.push_back(t->origin().node.get());
    }
  };
  for (const Tensor& t : outputs_.flatten()) walk(t);
  for (const Tensor& t : inputs_.flatten()) {
    const Operation* op = t.origin().node->operation.get();
    if (!entered.count(op)) {
      // An input that no output needs stands at depth 0, before the others there.
      entered.emplace(op, -1);
      operation_depth[op] = 0;
    }
  }
  std::set<const Operation*> listed;
  for (const Step& step : steps_)
    if (listed.insert(step.node->operation.get()).second)
      operations_.push_back(step.node->operation);
  std::stable_sort(operations_.begin(), operations_.end(), [&](const auto& a, const auto& b) {
    const int da = operation_depth[a.get()], db = operation_depth[b.get()];
    return da != db ? da > db : entered[a.get()] < entered[b.get()];
  });
  for (const auto& op : operations_)
    if (auto layer = std::dynamic_pointer_cast<Layer>(op)) layers_.push_back(layer);
}

void Functional::run(std::vector<Tensor>& values, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const Step& step = steps_[i];
    if (step.given) continue;
    if (step.simple) {
      values[step.first_output] = (*step.simple)(values[step.input]);
    } else {
      const Arguments arguments = step.node->arguments.map(
          [&](const Tensor& t) { return t.is_symbolic() ? values[place(t)] : t; });
      const std::vector<Tensor> results = step.node->operation->invoke(arguments).flatten();
      // A layer whose number of outputs depends on values cannot be in a graph.
      if (static_cast<int>(results.size()) != step.output_count)
        throw StateError(fmt::format("'{}' returned {} tensors, {} when the graph was made.",
                                     step.node->operation->name(), results.size(),
                                     step.output_count));
      for (int k = 0; k < step.output_count; ++k) values[step.first_output + k] = results[k];
    }
    for (const int done : step.finished) values[done] = {};
  }
}

void Functional::build_many(const Nest& inputs) {
  try {
    Model::build_many(inputs);
  } catch (const ShapeError&) {
    // A constant inside may fix the number of samples, which here is not known.
    const bool built = std::all_of(layers_.begin(), layers_.end(), [](const auto& layer) {
      return layer->built() || dynamic_cast<const InputLayer*>(layer.get());
    });
    if (!built) throw;
  }
}

Nest Functional::call_many(const Nest& inputs, const Call&) {
  std::vector<Tensor> values(value_count_);
  const Nest in = standardize(inputs);
  const std::vector<Tensor> given = in.flatten(), places = inputs_.flatten();
  for (size_t i = 0; i < given.size(); ++i) values[place(places[i])] = given[i];
  if (detail::wants_segments(*this, in))
    run_in_sections(values);
  else
    run(values, 0, steps_.size());
  const Nest outputs = outputs_.map([&](const Tensor& t) { return values[place(t)]; });
  // As in Keras, a list of one output is that output.
  return outputs.is_list() && outputs.size() == 1 ? outputs.list()[0] : outputs;
}

std::shared_ptr<Layer> Functional::shared_layer() {
  if (!weak_from_this().expired()) return Model::shared_layer();
  if (!shared_) {
    warn_of_plain_copy(typeid(Functional));
    shared_ = std::make_shared<Functional>(
        inputs_, outputs_, Options{is_named() ? name() : std::string(), trainable()});
    share_trainable(*shared_);
  }
  return shared_;
}

std::vector<std::shared_ptr<Node>> Functional::nodes() const {
  std::vector<std::shared_ptr<Node>> result;
  for (const Step& step : steps_) result.push_back(step.node);
  return result;
}

Nest Functional::input_spec() const {
  return inputs_.map([](const Tensor& t) { return Tensor::abstract(t.shape(), t.dtype()); });
}

std::vector<std::string> Functional::input_names() const {
  std::vector<std::string> names;
  for (const Tensor& t : inputs_.flatten()) names.push_back(t.origin().node->operation->name());
  return names;
}

std::vector<std::string> Functional::output_names() const {
  std::vector<std::string> names;
  for (const Tensor& t : outputs_.flatten()) names.push_back(t.origin().node->operation->name());
  return names;
}

Nest Functional::standardize(const Nest& x) const {
  if (x.is_tensor() && inputs_.is_tensor() && x.tensor() &&
      x.tensor().dtype() == inputs_.tensor().dtype() &&
      // Data that fits as it is, as each batch of fit does, skips the general way.
      x.tensor().shape().slice(1) == inputs_.tensor().shape().slice(1))
    return x;
  std::vector<bool> optional;
  for (const Tensor& t : inputs_.flatten()) {
    const auto* layer = dynamic_cast<const InputLayer*>(t.origin().node->operation.get());
    optional.push_back(layer && layer->optional());
  }
  return standardize_inputs(x, input_spec(), input_names(), name(), optional);
}

}  // namespace cornu
