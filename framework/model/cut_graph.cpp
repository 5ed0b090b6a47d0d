// Repeating the calls of a graph from tensors inside of it.
#include "cut_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "input.h"

namespace cornu {
namespace {

bool is_input(const Tensor& t) {
  return dynamic_cast<const InputLayer*>(t.origin().node->operation.get()) != nullptr;
}

class Cut {
 public:
  // Only what is symbolic comes here.
  Nest input(const Nest& inputs) {
    return inputs.map([&](const Tensor& t) {
      if (is_input(t)) return t;
      const Tensor fresh = Input({.dtype = t.dtype(), .batch_shape = t.shape()});
      return replaced_[key(t)] = fresh;
    });
  }

  Nest output(const Nest& outputs) {
    for (const auto& node : nodes_behind(outputs.flatten())) repeat(node);
    return outputs.map([&](const Tensor& t) { return now(t); });
  }

 private:
  using Key = std::pair<const Node*, int>;
  static Key key(const Tensor& t) { return {t.origin().node.get(), t.origin().index}; }

  Tensor now(const Tensor& t) const {
    if (!t || !t.is_symbolic()) return t;
    const auto found = replaced_.find(key(t));
    return found == replaced_.end() ? t : found->second;
  }

  // The nodes from which `outputs` follow, up to the cut, in the order in which they were made.
  std::vector<std::shared_ptr<Node>> nodes_behind(std::vector<Tensor> open) const {
    std::vector<std::shared_ptr<Node>> nodes;
    std::set<const Node*> seen;
    while (!open.empty()) {
      const Tensor t = open.back();
      open.pop_back();
      if (!t.is_symbolic() || replaced_.count(key(t))) continue;
      const std::shared_ptr<Node>& node = t.origin().node;
      if (!seen.insert(node.get()).second) continue;
      nodes.push_back(node);
      for (const Tensor& before : node->arguments.tensors()) open.push_back(before);
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const auto& a, const auto& b) { return a->serial < b->serial; });
    return nodes;
  }

  void repeat(const std::shared_ptr<Node>& node) {
    const std::vector<Tensor> before = node->arguments.tensors();
    const bool depends = std::any_of(before.begin(), before.end(), [&](const Tensor& t) {
      return t.is_symbolic() && replaced_.count(key(t));
    });
    if (!depends) return;
    const std::vector<Tensor> made =
        make_node(node->operation, node->arguments.map([&](const Tensor& t) { return now(t); }),
                  node->outputs)
            .flatten();
    if (node->mask) made.front().origin().node->mask = now(node->mask);
    for (size_t i = 0; i < made.size(); ++i) replaced_[{node.get(), static_cast<int>(i)}] = made[i];
  }

  std::map<Key, Tensor> replaced_;
};

}  // namespace

void cut_graph(Nest& inputs, Nest& outputs) {
  const std::vector<Tensor> all = inputs.flatten();
  if (std::all_of(all.begin(), all.end(), is_input)) return;
  Cut cut;
  inputs = cut.input(inputs);
  outputs = cut.output(outputs);
}

}  // namespace cornu
