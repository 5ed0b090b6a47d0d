// Repeating the calls of a graph from tensors inside of it.
#include "cut_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "input.h"

namespace cornu {
namespace {

bool is_input(const Tensor& t) {
  return dynamic_cast<const InputLayer*>(t.origin().node->operation.get()) != nullptr;
}

using Key = std::pair<const Node*, int>;

Key key(const Tensor& t) { return {t.origin().node.get(), t.origin().index}; }

// Whether `t` is computed from `inputs` and constants alone.
bool follows_from(const Nest& inputs, const Tensor& t) {
  std::set<const Node*> seen;
  for (const Tensor& input : inputs.flatten()) seen.insert(input.origin().node.get());
  std::vector<Tensor> open = {t};
  while (!open.empty()) {
    const Tensor at = open.back();
    open.pop_back();
    if (!at.is_symbolic() || !seen.insert(at.origin().node.get()).second) continue;
    if (is_input(at)) return false;
    for (const Tensor& before : at.origin().node->arguments.tensors()) open.push_back(before);
  }
  return true;
}

// Tensors of a graph, and what takes their place.
class Replaced {
 public:
  void put(const Tensor& old, const Tensor& fresh) { replaced_[key(old)] = fresh; }

  Tensor now(const Tensor& t) const {
    if (!t || !t.is_symbolic()) return t;
    const auto found = replaced_.find(key(t));
    return found == replaced_.end() ? t : found->second;
  }

  bool has(const Tensor& t) const { return t.is_symbolic() && replaced_.count(key(t)); }

  bool has_argument(const Node& node) const {
    const std::vector<Tensor> before = node.arguments.tensors();
    return std::any_of(before.begin(), before.end(), [&](const Tensor& t) { return has(t); });
  }

  Arguments arguments(const Node& node) const {
    return node.arguments.map([&](const Tensor& t) { return now(t); });
  }

  // What a node gave becomes what its call gives now.
  void put_call(const Node& node, const Nest& outputs) {
    const std::vector<Tensor> made = outputs.flatten();
    if (!node.masks.empty()) masked_.emplace_back(made.front().origin().node, node.masks);
    put_made(node, outputs);
  }

  // The same for calls that have given their outputs masks themselves.
  void put_made(const Node& node, const Nest& outputs) {
    const std::vector<Tensor> made = outputs.flatten();
    for (size_t i = 0; i < made.size(); ++i) replaced_[{&node, static_cast<int>(i)}] = made[i];
  }

  // What takes the place of `outputs`, when all calls have been made that begin at `inputs`.
  Nest finish(const Nest& inputs, const Nest& outputs) const {
    // Masks are made behind the calls whose outputs they belong to. One that comes from in front of
    // the inputs is none here.
    for (const auto& [node, old] : masked_) {
      node->masks.clear();
      for (const Tensor& before : old) {
        const Tensor mask = before ? now(before) : Tensor();
        node->masks.push_back(mask && follows_from(inputs, mask) ? mask : Tensor());
      }
    }
    return outputs.map([&](const Tensor& t) {
      Tensor found = now(t);
      if (!found.is_symbolic()) return found;
      const std::vector<Tensor>& masks = found.origin().node->masks;
      const size_t place = static_cast<size_t>(found.origin().index);
      if (place == 0 || place < masks.size())
        found.set_mask(place < masks.size() ? masks[place] : Tensor());
      return found;
    });
  }

  // The nodes from which `outputs` follow, up to what is replaced, in the order in which they were
  // made.
  std::vector<std::shared_ptr<Node>> nodes_behind(std::vector<Tensor> open) const {
    std::vector<std::shared_ptr<Node>> nodes;
    std::set<const Node*> seen;
    while (!open.empty()) {
      const Tensor t = open.back();
      open.pop_back();
      if (!t.is_symbolic() || has(t)) continue;
      const std::shared_ptr<Node>& node = t.origin().node;
      if (!seen.insert(node.get()).second) continue;
      nodes.push_back(node);
      for (const Tensor& before : node->arguments.tensors()) open.push_back(before);
      for (const Tensor& mask : node->masks)
        if (mask) open.push_back(mask);
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const auto& a, const auto& b) { return a->serial < b->serial; });
    return nodes;
  }

 private:
  std::map<Key, Tensor> replaced_;
  std::vector<std::pair<std::shared_ptr<Node>, std::vector<Tensor>>>
      masked_;  // new nodes, and the old masks
};

}  // namespace

void cut_graph(Nest& inputs, Nest& outputs) {
  const std::vector<Tensor> all = inputs.flatten();
  if (std::all_of(all.begin(), all.end(), is_input)) return;
  Replaced replaced;
  inputs = inputs.map([&](const Tensor& t) {
    if (is_input(t)) return t;
    const Tensor fresh = Input({.dtype = t.dtype(), .batch_shape = t.shape()});
    replaced.put(t, fresh);
    return fresh;
  });
  for (const auto& node : replaced.nodes_behind(outputs.flatten())) {
    if (!replaced.has_argument(*node)) continue;
    replaced.put_call(*node, make_node(node->operation, replaced.arguments(*node), node->outputs));
  }
  outputs = replaced.finish(inputs, outputs);
}

namespace {

// The arguments of a call that is made again without the mask that an input carried: the new input
// has its own.
Arguments without_carried_mask(const Node& node, Arguments arguments) {
  const Value* mask = detail::find(node.arguments.named, "mask");
  if (!mask || !mask->is<Tensor>()) return arguments;
  const Tensor& given = mask->get<Tensor>();
  const std::vector<Tensor> before = Arguments{node.arguments.positional, {}}.tensors();
  if (std::any_of(before.begin(), before.end(),
                  [&](const Tensor& t) { return t.mask() && t.mask().impl() == given.impl(); }))
    std::erase_if(arguments.named, [](const auto& entry) { return entry.first == "mask"; });
  return arguments;
}

}  // namespace

Nest repeat_graph(
    const Nest& inputs, const Nest& begin, const Nest& outputs,
    const std::function<std::shared_ptr<Operation>(const std::shared_ptr<Operation>&)>& other,
    const LayerCall& call) {
  Replaced replaced;
  const std::vector<Tensor> from = inputs.flatten(), to = begin.flatten();
  for (size_t i = 0; i < from.size(); ++i) replaced.put(from[i], to[i]);
  for (const auto& node : replaced.nodes_behind(outputs.flatten())) {
    const auto operation = other(node->operation);
    const Arguments arguments = replaced.arguments(*node);
    const auto check = [&](const Nest& made) {
      const size_t count = made.flatten().size(), wanted = node->outputs.flatten().size();
      if (count != wanted)
        throw StateError(fmt::format("'{}' gives {} tensors in the place of '{}', which gave {}.",
                                     operation->name(), count, node->operation->name(), wanted));
    };
    if (const auto layer = std::dynamic_pointer_cast<Layer>(operation); layer && call) {
      const Nest made = call(layer, without_carried_mask(*node, arguments));
      check(made);
      replaced.put_made(*node, made);
      continue;
    }
    const Nest specs = infer_outputs(
        arguments, [&](const Arguments& stand_ins) { return operation->invoke(stand_ins); });
    check(specs);
    replaced.put_call(*node, make_node(operation, arguments, specs));
  }
  return replaced.finish(begin, outputs);
}

}  // namespace cornu
