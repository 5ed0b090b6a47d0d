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

InferenceScope::InferenceScope() { ++graph_context().inference_depth; }
InferenceScope::~InferenceScope() { --graph_context().inference_depth; }

namespace {

Tensor stand_in(const Tensor& t, int64_t fill) {
  if (t.is_eager()) return t;
  Shape shape = t.shape();
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == Shape::unknown) shape[i] = fill;
  Tensor result = Tensor::abstract(shape, t.dtype());
  if (t.mask()) result.set_mask(stand_in(t.mask(), fill));
  return result;
}

Tensor merge(const Tensor& a, const Tensor& b) {
  if (!a) return a;
  Shape shape = a.shape();
  for (int i = 0; i < shape.rank(); ++i)
    if (b.shape()[i] != shape[i]) shape[i] = Shape::unknown;
  Tensor result = Tensor::abstract(shape, a.dtype());
  if (a.mask() && b.mask()) result.set_mask(merge(a.mask(), b.mask()));
  return result;
}

InferencePass& current_pass() {
  thread_local InferencePass pass = InferencePass::none;
  return pass;
}

class PassScope {
 public:
  explicit PassScope(InferencePass pass) : before_(current_pass()) { current_pass() = pass; }
  ~PassScope() { current_pass() = before_; }
  PassScope(const PassScope&) = delete;

 private:
  InferencePass before_;
};

}  // namespace

InferencePass inference_pass() { return current_pass(); }

Nest infer_outputs(const Arguments& arguments, const std::function<Nest(const Arguments&)>& f) {
  // For both runs: a layer that is built in the first must find the same variables in the second.
  InferenceScope scope;
  bool known = true;
  for (const Tensor& t : arguments.tensors()) known &= t.shape().known();
  if (known)
    return f(arguments.map([](const Tensor& t) { return stand_in(t, 83); }))
        // Merged with itself, so that results lose what only the inference knew, such as values.
        .map([](const Tensor& t) { return t ? merge(t, t) : t; });
  // Two numbers: sizes derived from them differ whenever they depend on the unknown size.
  const auto run = [&](InferencePass which, int64_t fill) {
    const PassScope pass(which);
    try {
      return f(arguments.map([&](const Tensor& t) { return stand_in(t, fill); }));
    } catch (Error& error) {
      const std::string number = std::to_string(fill);
      if (std::string_view(error.what()).find(number) != std::string_view::npos)
        error.append("(" + number + " stands for a size that is not known yet.)");
      throw;
    }
  };
  const auto run_both = [&](int64_t fill, int64_t other) {
    const Nest first = run(InferencePass::first, fill);
    return std::pair(first, run(InferencePass::second, other));
  };
  const auto [first, second] = [&] {
    try {
      // Larger than common sizes of kernels and pools, so that valid padding leaves something over.
      return run_both(83, 89);
    } catch (const ShapeError&) {
      const std::exception_ptr error = std::current_exception();
      try {
        // An option may divide the size, which no number divides above.
        return run_both(5040, 10080);
      } catch (const Error&) {
        std::rethrow_exception(error);
      }
    }
  }();
  std::vector<Tensor> a = first.flatten(), b = second.flatten();
  for (size_t i = 0; i < a.size(); ++i) a[i] = merge(a[i], b[i]);
  return first.pack(a);
}

bool any_symbolic(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors)
    if (t && t.is_symbolic()) return true;
  return false;
}

}  // namespace cornu
