// Watching a model's call, and naming what happens in it.
#include "call_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "../base/call_scope.h"
#include "../ops/numpy/creation.h"
#include "sample.h"

namespace cornu {
namespace {

using backend::Kernel;

const char* reduce_name(backend::ReduceOp op) {
  static constexpr const char* names[] = {"sum", "product", "max", "min", "argmax", "argmin"};
  return names[static_cast<size_t>(op)];
}

// "relu", and for a formula what is more than arithmetic in it: "tanh" for a gelu, since
// TensorBoard shows ten letters of a name. The attribute of a node tells the rest.
std::string name_of(const backend::Program& program) {
  static const std::unordered_set<std::string> arithmetic = {"add", "subtract", "multiply",
                                                             "true_divide", "negative"};
  std::string plain, telling;
  for (const backend::Instruction& i : program.instructions()) {
    const std::string name = backend::info(i.op).name;
    (arithmetic.count(name) ? plain : telling) = name;
  }
  return !telling.empty() ? telling : program.instructions().size() == 1 ? plain : "fused";
}

std::string name_of(const Kernel& kernel) {
  if (const auto* fused = std::get_if<backend::Fused>(&kernel)) return name_of(*fused->program);
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel)) return reduce_name(reduce->op);
  return backend::kernel_name(kernel);
}

std::map<std::string, std::string> attributes_of(const Kernel& kernel) {
  if (const auto* fused = std::get_if<backend::Fused>(&kernel))
    return {{"program", fused->program->str()}};
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel))
    return {{"program", reduce->program->str()}};
  return {};
}

// TensorBoard takes letters, digits and "_.-/" only.
std::string cleaned(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("_.-/", c)) c = '_';
  return name;
}

// Sees the layers and the steps of a call, and makes nodes of them.
class Watcher : public Tracer, public LayerObserver {
 public:
  explicit Watcher(const Model& model) : model_(model) {}

  void add_input(const Tensor& tensor, const std::string& name) {
    know(tensor, add(name, "Input", {}, {tensor.shape()}));
  }

  void step(const Step& step) override {
    if (step.gradient) return;  // how something is differentiated, not something that is done
    std::vector<std::string> inputs;
    for (const Tensor& t : step.inputs)
      if (std::string from = find(t); !from.empty()) inputs.push_back(std::move(from));
    std::vector<Shape> shapes;
    for (const Tensor& t : step.outputs) shapes.push_back(t.shape());
    const std::string op = step.kernel ? name_of(*step.kernel) : step.host ? "host" : "reshape";
    const std::string name = add(here() + op, op, std::move(inputs), std::move(shapes));
    if (step.kernel) nodes.back().attributes = attributes_of(*step.kernel);
    for (const Tensor& t : step.outputs) know(t, name);
  }

  void read(const Variable& variable) override {
    if (!variables_.insert(variable.key()).second) return;
    know(variable.stored(), add(here() + variable.name(), "Variable", {}, {variable.shape()}));
  }
  Tensor assign(const Variable&, const Tensor& value) override { return value; }
  void host_read(const Tensor&, const SourceLine&) override {}
  void give_up(const std::string&) override {}

  void before(Layer&, const Nest& inputs) override { calls_.push_back({nodes.size(), inputs}); }
  // Layers that pass their input on are shown as well.
  void after(Layer& layer, const Nest& outputs) override {
    const auto [count, inputs] = calls_.back();
    calls_.pop_back();
    if (nodes.size() > count || &layer == &model_) return;
    std::vector<std::string> from;
    for (const Tensor& t : inputs.flatten())
      if (std::string name = t ? find(t) : ""; !name.empty()) from.push_back(std::move(name));
    const std::vector<Tensor> results = outputs.flatten();
    std::vector<Shape> shapes;
    for (const Tensor& t : results) shapes.push_back(t.shape());
    const std::string path = here();
    const std::string name =
        add(path.substr(0, path.size() - 1), layer.base_name(), std::move(from), std::move(shapes));
    for (const Tensor& t : results) know(t, name, true);
  }

  std::vector<GraphNode> nodes;

 private:
  // The path of the layer at work below the model, with a '/' behind it.
  std::string here() const {
    const Operation* where = graph_context().where;
    if (!where || where == &model_) return "";
    const std::string path = where->path() + "/", top = model_.name() + "/";
    return path.starts_with(top) ? path.substr(top.size()) : path;
  }

  std::string add(const std::string& name, const std::string& op, std::vector<std::string> inputs,
                  std::vector<Shape> shapes) {
    std::string unique = cleaned(name);
    for (int i = 1; !names_.insert(unique).second; ++i)
      unique = fmt::format("{}_{}", cleaned(name), i);
    nodes.push_back({unique, op, std::move(inputs), std::move(shapes)});
    return unique;
  }

  // A tensor is known by itself, and views that nobody told of by their memory.
  void know(const Tensor& tensor, const std::string& name, bool replaces = false) {
    seen_.push_back(tensor);  // so that its identity is not given to another
    by_key_[tensor.impl()->key] = name;
    if (tensor.impl()->storage) {
      std::string& known = by_storage_[tensor.impl()->storage->id];
      if (known.empty() || replaces) known = name;
    }
  }
  // Empty for constants.
  std::string find(const Tensor& tensor) const {
    if (const auto found = by_key_.find(tensor.impl()->key); found != by_key_.end())
      return found->second;
    if (!tensor.impl()->storage) return "";
    const auto found = by_storage_.find(tensor.impl()->storage->id);
    return found != by_storage_.end() ? found->second : "";
  }

  struct LayerCall {
    size_t nodes;  // that there were before it
    Nest inputs;
  };
  const Model& model_;
  std::vector<LayerCall> calls_;
  std::unordered_set<std::string> names_;
  std::unordered_set<uint64_t> variables_;
  std::unordered_map<uint64_t, std::string> by_key_, by_storage_;
  std::vector<Tensor> seen_;
};

// The watcher at its places on this thread; what is computed meanwhile has no effects.
class Watching {
 public:
  Watching(Watcher& watcher, bool dry)
      : tracer_(std::exchange(graph_context().tracer, &watcher)),
        observer_(std::exchange(call_context().observer, &watcher)),
        dry_(std::exchange(graph_context().dry, dry)) {}
  ~Watching() {
    graph_context().tracer = tracer_;
    call_context().observer = observer_;
    graph_context().dry = dry_;
  }
  Watching(const Watching&) = delete;

 private:
  const PauseRecording unrecorded_;
  const VariableOverlay assignments_;
  const LossScope losses_;
  Tracer* tracer_;
  LayerObserver* observer_;
  bool dry_;
};

std::vector<GraphNode> watch(Model& model, const Nest& sample, bool dry) {
  Watcher watcher(model);
  const std::vector<std::string> names = model.input_names();
  const Nest inputs = sample.map([](const Tensor& t) { return ops::zeros(t.shape(), t.dtype()); });
  const std::vector<Tensor> tensors = inputs.flatten();
  for (size_t i = 0; i < tensors.size(); ++i)
    watcher.add_input(tensors[i], names.size() == tensors.size() ? names[i] : "input");
  const Watching watching(watcher, dry);
  model(inputs, {.training = false});
  return std::move(watcher.nodes);
}

}  // namespace

std::vector<GraphNode> call_graph(Model& model) {
  if (!model.built())
    throw StateError(
        fmt::format("the graph of model '{}' is not known before it is built.", model.name()));
  // Convolutions need more than one pixel where the size is not known.
  static constexpr int64_t sizes[] = {1, 32, 256};
  for (size_t i = 0;; ++i) {
    const Nest sample = sample_spec(model, sizes[i]);
    if (sample.empty())
      throw StateError(fmt::format("the inputs of model '{}' are not known.", model.name()));
    try {
      try {
        return watch(model, sample, true);
      } catch (const NeedsValues&) {
        return watch(model, sample, false);  // call reads values
      }
    } catch (const Error&) {
      if (i + 1 == std::size(sizes)) throw;
    }
  }
}

}  // namespace cornu
