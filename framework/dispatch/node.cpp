// Making nodes, and finding the shapes of their outputs.
#include "node.h"

#include <fmt/core.h>

#include <mutex>

namespace cornu {

std::vector<Tensor> Arguments::tensors() const {
  std::vector<Tensor> out;
  for (const Value& v : positional) v.collect(out);
  Value(named).collect(out);
  return out;
}

Arguments Arguments::map(const std::function<Tensor(const Tensor&)>& f) const {
  Arguments result;
  for (const Value& v : positional) result.positional.push_back(v.map(f));
  result.named = Value(named).map(f).get<Value::Dict>();
  return result;
}

namespace {
uint64_t next_serial() {
  static std::atomic<uint64_t> serial{1};
  return serial.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

Operation::Operation() : serial_(next_serial()) {}

namespace {
// Two threads may put one layer into graphs of theirs.
std::mutex& nodes_mutex() {
  static std::mutex mutex;
  return mutex;
}
}  // namespace

std::vector<std::shared_ptr<Node>> Operation::inbound_nodes() const {
  const std::lock_guard lock(nodes_mutex());
  std::vector<std::shared_ptr<Node>> nodes;
  for (const std::weak_ptr<Node>& node : nodes_)
    if (auto alive = node.lock()) nodes.push_back(std::move(alive));
  return nodes;
}

std::shared_ptr<Node> Operation::first_node() const {
  const auto nodes = inbound_nodes();
  if (nodes.empty())
    throw StateError(fmt::format(
        "'{}' has no symbolic input and output: no model with an Input calls it.", path()));
  return nodes.front();
}

Nest Operation::output() const { return outputs_of(first_node()); }

Nest Operation::input() const {
  const std::shared_ptr<Node> node = first_node();
  std::vector<Tensor> tensors;
  for (const Value& argument : node->arguments.positional) argument.collect(tensors);
  if (tensors.size() == 1) return tensors.front();
  return Nest::List(tensors.begin(), tensors.end());
}

Nest make_node(std::shared_ptr<Operation> operation, Arguments arguments, const Nest& outputs) {
  auto node = std::make_shared<Node>();
  node->operation = std::move(operation);
  node->arguments = std::move(arguments);
  node->serial = next_serial();
  node->outputs = outputs;
  {
    const std::lock_guard lock(nodes_mutex());
    auto& nodes = node->operation->nodes_;
    std::erase_if(nodes, [](const std::weak_ptr<Node>& n) { return n.expired(); });
    nodes.push_back(node);
  }
  return outputs_of(node);
}

Nest outputs_of(const std::shared_ptr<Node>& node) {
  int index = 0;
  return node->outputs.map([&](const Tensor& t) {
    Tensor output = Tensor::symbolic(t.shape(), t.dtype(), {node, index});
    const size_t place = static_cast<size_t>(index++);
    if (place < node->masks.size() && node->masks[place]) output.set_mask(node->masks[place]);
    return output;
  });
}

bool any_symbolic(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors)
    if (t && t.is_symbolic()) return true;
  return false;
}

}  // namespace cornu
