// Turning executed steps into a graph.
#include "recording.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../../dispatch/node.h"
#include "passes.h"

namespace cornu::plan {
namespace {

constexpr const char* emulated_storage =
    "complex numbers or 8-bit floats from outside of a branch or a loop";

// A graph has complex numbers as pairs of real ones, and 8-bit floats as bits.
TensorSpec stored(const Tensor& tensor) { return stored_spec(tensor.spec()); }

}  // namespace

std::string current_place() {
  const GraphContext& context = graph_context();
  // The gradient goes first: during a reverse sweep `where` is the layer that asked for it.
  if (context.gradient_of) return *context.gradient_of + " (gradient)";
  return context.where ? context.where->path() : std::string();
}

Recording::Recording(std::span<const Tensor> arguments, AssignedValues assigned)
    : outer_(graph_context().tracer), assigned_values_(assigned) {
  graph_.device = &detail::current_backend();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const Tensor& t = arguments[i]; !t.is_weak()) {
      const TensorSpec spec = stored(t);
      know(t,
           graph_.add_value(spec.dtype, spec.shape.numel(), Source::argument, static_cast<int>(i)));
    }
  graph_context().tracer = this;
  // From here on assignments stay on this thread: other threads may predict with the same variables
  // meanwhile.
  overlay_.emplace();
}

Recording::~Recording() { stop(); }

void Recording::stop() {
  if (!open_) return;
  graph_context().tracer = outer_;
  open_ = false;
  // A variable that was not assigned is what it was: other plans need not do anything anew.
  for (size_t i = 0; i < originals_.size(); ++i) {
    Tensor& stored = graph_.variables[i].stored();
    // The fresh alias served to know the variable's value in the graph. Left in place it would look
    // like a new value, and prologues of all plans that read the variable would run again.
    if (stored.impl()->storage->id == originals_[i].second) stored = originals_[i].first;
  }
  originals_.clear();
  if (assigned_values_ == AssignedValues::commit) overlay_->commit();
  overlay_.reset();
}

void Recording::know(const Tensor& tensor, int value) {
  ids_[tensor.impl()->storage->id] = value;
  // Strings are in host memory whatever the device of the computation is.
  if (tensor.dtype() != DType::string) graph_.device = tensor.impl()->storage->backend;
}

// A number written in C++ is a constant; in a computation in float64 it counts whole (see apply).
int Recording::value_of(const Tensor& tensor, bool wide) {
  if (!tensor.is_weak()) {
    const auto found = ids_.find(tensor.impl()->storage->id);
    return found != ids_.end() ? found->second : outside(tensor);
  }
  // Constants from C++ numbers are made where the program can read them; Graph::constant moves
  // them.
  const DeviceScope scope(Device::cpu());
  if (tensor.dtype() != DType::float32)
    return graph_.add_constant(Tensor::copy_of(tensor.data(), {}, tensor.dtype()));
  const float* parts = static_cast<const float*>(tensor.data());
  // A weak scalar keeps a double as the sum of two floats: the rounded value and the rest.
  const double number = static_cast<double>(parts[0]) + parts[1];
  return graph_.add_constant(wide ? Tensor::from_host(&number, {}) : Tensor::from_host(parts, {}));
}

int Recording::outside(const Tensor& tensor) {
  if (tensor.dtype() == DType::string) give_up("a string tensor that is no argument");
  const int value = graph_.add_constant(bitcast(tensor, stored(tensor)));
  know(tensor, value);
  return value;
}

void Recording::step(const cornu::Step& step) {
  // Reshapes and custom gradients compute nothing: values have no shape here, and what a custom
  // gradient does is recorded when the sweep runs it.
  if (!step.kernel && !step.host) return;
  Step& mine = graph_.steps.emplace_back();
  if (step.kernel) mine.kernel = *step.kernel;
  if (step.host) mine.host = *step.host;
  if (step.text) mine.text = *step.text;
  mine.where = current_place();
  mine.again = graph_context().recomputations;
  bool wide = !step.outputs.empty() && step.outputs[0].dtype() == DType::float64;
  for (const Tensor& t : step.inputs) wide |= t.dtype() == DType::float64;
  for (const Tensor& t : step.inputs) mine.inputs.push_back({value_of(t, wide), t.shape()});
  for (const Tensor& t : step.outputs) {
    const int value = graph_.add_value(t.dtype(), t.size());
    know(t, value);
    mine.outputs.push_back({value, t.shape()});
  }
}

int Recording::index_of(const Variable& variable) {
  const auto [place, fresh] =
      variables_.try_emplace(variable.key(), static_cast<int>(graph_.variables.size()));
  if (!fresh) return place->second;
  graph_.variables.push_back(variable);
  assigned_.push_back(-1);
  Tensor& stored = variable.stored();
  // The variable gets a fresh alias of its value: its storage may be known already as an argument
  // or as another variable's value, and must be a value of its own here.
  const Tensor original = stored;
  stored = variable.fresh_alias();
  originals_.emplace_back(original, stored.impl()->storage->id);
  const TensorSpec spec = plan::stored(stored);
  know(stored, graph_.add_value(spec.dtype, spec.shape.numel(), Source::variable, place->second));
  return place->second;
}

void Recording::read(const Variable& variable) { index_of(variable); }

Tensor Recording::assign(const Variable& variable, const Tensor& value) {
  const int number = value_of(value, false);
  assigned_[static_cast<size_t>(index_of(variable))] = number;
  Tensor own = value.fresh_alias();
  // Tapes know a variable by this key whatever value it holds.
  own.impl()->key = variable.key();
  know(own, number);
  return own;
}

void Recording::host_read(const Tensor& tensor, const SourceLine& at) {
  if (!host_read_.empty() || tensor.is_weak()) return;
  const auto found = ids_.find(tensor.impl()->storage->id);
  // A part of a function may look at what the function around it computes: that one cannot be
  // replayed either.
  if (found == ids_.end() && outer_) outer_->host_read(tensor, at);
  // What is not known to the recording is constant for it: a table that the program made once.
  if (found == ids_.end() ||
      graph_.values[static_cast<size_t>(found->second)].source == Source::constant)
    return;
  const std::string line = at.file ? fmt::format("{}:{}", at.file, at.line)
                                   : "a conversion to a number, such as float(x)";
  const std::string place = current_place();
  give_up(line + (place.empty() ? "" : ", in layer '" + place + "'"));
}

void Recording::give_up(const std::string& where) {
  // The first reason is the one to report; later ones often follow from it.
  if (host_read_.empty()) host_read_ = where;
}

Graph Recording::finish(std::span<const Tensor> outputs) {
  // Before `stop`, which takes back the identities by which variables' values are known.
  for (const Tensor& t : outputs) graph_.outputs.push_back({value_of(t, false), stored(t).shape});
  stop();
  for (size_t i = 0; i < assigned_.size(); ++i)
    if (assigned_[i] >= 0) graph_.assignments.push_back({static_cast<int>(i), assigned_[i]});
  drop_dead(graph_);
  return std::move(graph_);
}

PartRecording::PartRecording(std::span<const Tensor> arguments)
    : Recording(arguments), given_(static_cast<int>(arguments.size())) {}

void PartRecording::step(const cornu::Step& step) {
  for (const Tensor& t : step.inputs)
    if (has_emulated_storage(t.dtype()) && !knows(t)) give_up(emulated_storage);
  Recording::step(step);
}

int PartRecording::outside(const Tensor& tensor) {
  if (has_emulated_storage(tensor.dtype())) give_up(emulated_storage);
  // Not a constant: in the next run of the part the surrounding function may hold another value.
  const int value = graph_.add_value(tensor.dtype(), tensor.size(), Source::argument,
                                     given_ + static_cast<int>(captured_.size()));
  captured_.push_back(tensor);
  know(tensor, value);
  return value;
}

// The surrounding recording gives the variable's value an identity; here it is one more argument.
void PartRecording::read(const Variable& variable) {
  if (knows(variable.stored())) return;
  outer_->read(variable);
  outside(variable.stored());
  variables_.push_back(variable);
}

Tensor PartRecording::assign(const Variable& variable, const Tensor& value) {
  read(variable);
  const int number = value_of(value, false);
  Tensor own = value.fresh_alias();
  // As in Recording::assign: tapes inside of the part go on watching the variable.
  own.impl()->key = variable.key();
  know(own, number);
  for (Changed& c : changed_)
    if (c.variable == variable) {
      c.after = own;
      return own;
    }
  changed_.push_back({variable, variable.stored(), own});
  return own;
}

void PartRecording::stop() {
  Recording::stop();
  if (undone_) return;
  undone_ = true;
  // A branch that is recorded has not been taken, and a loop's body not yet run.
  for (Changed& c : changed_) c.variable.stored() = c.before;
}

}  // namespace cornu::plan
