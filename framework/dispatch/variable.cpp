// A variable's state, and the casts of mixed precision.
#include "variable.h"

#include <fmt/core.h>

#include <algorithm>

#include "../tensor/recorder.h"
#include "fused.h"
#include "stateless_scope.h"

namespace cornu {

struct Variable::State {
  Tensor value;
  Options options;
  std::string path;
  uint64_t key;
  bool overwrite_with_gradient = false;
};

namespace {

struct Autocast {
  DType dtype;
  bool active = false;
};
thread_local Autocast autocast;
// How many overlays this thread has: replays ask for each of their variables.
// constinit spares the check whether it is initialized, on a path that every replay takes for every
// variable.
thread_local constinit int overlays = 0;
// The innermost scope of this thread.
thread_local constinit StatelessScope* stateless = nullptr;

// The value of a variable is a tensor of its own that carries the variable's identity.
Tensor owned(const Tensor& value, uint64_t key) {
  Tensor t = value.detached();
  // A variable has the dtype that it was made with, whatever it meets.
  t.impl()->weak = false;
  t.impl()->key = key;
  return t;
}

// A weak scalar lives inside its tensor; a variable needs memory of its own.
Tensor materialized(const Tensor& value) {
  return value.is_weak() ? Tensor::copy_of(value.data(), value.shape(), value.dtype()) : value;
}

[[noreturn]] void throw_without_values(const std::string& path, const char* what) {
  throw StateError(
      fmt::format("Variable '{}': {} is a tensor without values: a symbolic one (from Input), or "
                  "one that stands for it while shapes are inferred.",
                  path, what));
}

Tensor combined(const Variable& variable, backend::Opcode opcode, const Tensor& value) {
  const Tensor operands[] = {variable.value(), value};
  return detail::apply_fused(backend::program_of(opcode), backend::info(opcode).domain, operands,
                             backend::info(opcode).name);
}

}  // namespace

namespace {

// A variable that is no member of a layer's yet knows neither its name nor the layer's.
[[noreturn]] void throw_missing(const char* method) {
  throw StateError(
      fmt::format("Variable::{}: this variable has not been created yet. That of a layer is there "
                  "once the layer is built: call the layer on data or build it before.",
                  method));
}

// What a handle refers to.
template <class State>
State& existing(const std::shared_ptr<State>& state, const char* method) {
  if (!state) [[unlikely]]
    throw_missing(method);
  return *state;
}

}  // namespace

Variable::Variable(const Tensor& value) : Variable(value, Options{}) {}

Variable::Variable(const Tensor& value, Options options)
    : state_(
          std::make_shared<State>(State{{}, std::move(options), {}, detail::next_key(), false})) {
  if (!value)
    throw ValueError(fmt::format("Variable '{}': expected a first value, found no tensor.",
                                 state_->options.name));
  if (!value.is_eager()) throw_without_values(state_->options.name, "its first value");
  // The variable outlives the recording, so a first value without memory will not do.
  if (value.is_meta() && graph_context().dry)
    throw NeedsValues("A variable is made, whose first value has to be computed.");
  state_->path = state_->options.name;
  state_->value = owned(materialized(value), state_->key);
}

const Tensor& Variable::value() const {
  existing(state_, "value");
  // A value of a scope is a tensor like any other: a recording sees where it comes from.
  if (const Tensor* given = scoped()) return *given;
  const GraphContext& context = graph_context();
  if (context.observed()) {
    if (context.tracer) context.tracer->read(*this);
    for (Recorder* recorder : context.recorders)
      if (state_->options.trainable) recorder->read(stored());
  }
  return stored();
}

Variable::operator Tensor() const {
  const Tensor& v = value();
  if (autocast.active && is_float(v.dtype()) && v.dtype() != autocast.dtype)
    return detail::convert_dtype(v, autocast.dtype);
  return v;
}

void Variable::assign(const Tensor& value) const {
  if (!state_) throw_missing("assign");
  if (!value)
    throw ValueError(
        fmt::format("Variable '{}': cannot assign an empty Tensor to a variable of shape {}.",
                    state_->path, state_->value.shape().str()));
  if (value.shape() != state_->value.shape())
    throw ShapeError(
        fmt::format("Variable '{}': cannot assign a value of shape {} to a variable of shape {}.",
                    state_->path, value.shape().str(), state_->value.shape().str()));
  // Moving averages and seeds must not move when only shapes are asked for.
  if (inferring()) return;
  if (stateless) {
    stateless->add_update(*this, value);
    return;
  }
  if (!value.is_eager()) throw_without_values(state_->path, "the value to assign");
  const Device device = state_->value.device();
  const DeviceScope scope(device);
  const Tensor converted = value.dtype() == dtype()
                               ? materialized(value).to(device)
                               : detail::convert_dtype(value.to(device), dtype());
  Tensor fresh = owned(converted, state_->key);
  const GraphContext& context = graph_context();
  if (context.assignments && std::none_of(context.assignments->begin(), context.assignments->end(),
                                          [&](const auto& known) { return known.first == *this; }))
    // The value before the first assignment only: that is what remat goes back to.
    context.assignments->emplace_back(*this, stored());
  // An assignment during recomputation is undone at its end; recorded it would happen twice.
  if (context.tracer && context.recomputations == 0) fresh = context.tracer->assign(*this, fresh);
  stored() = std::move(fresh);
}

void Variable::assign_add(const Tensor& value) const {
  assign(combined(*this, backend::Opcode::add, value));
}
void Variable::assign_sub(const Tensor& value) const {
  assign(combined(*this, backend::Opcode::subtract, value));
}

const Tensor* Variable::scoped() const {
  if (!stateless) return nullptr;
  const auto found = stateless->values_.find(state_->key);
  return found == stateless->values_.end() ? nullptr : &found->second;
}

Tensor& Variable::stored() const {
  if (overlays == 0 && state_) [[likely]]
    return state_->value;
  VariableOverlay* const overlay = graph_context().overlay;
  return overlay ? overlay->value_of(*this) : existing(state_, "value").value;
}

Tensor Variable::fresh_alias() const {
  Tensor t = stored().fresh_alias();
  t.impl()->key = state_->key;
  return t;
}

const std::string& Variable::name() const { return existing(state_, "name").options.name; }
const std::string& Variable::path() const { return existing(state_, "path").path; }
void Variable::set_path(const std::string& path) { existing(state_, "set_path").path = path; }
const Shape& Variable::shape() const { return existing(state_, "shape").value.shape(); }
DType Variable::dtype() const { return existing(state_, "dtype").value.dtype(); }
bool Variable::trainable() const { return existing(state_, "trainable").options.trainable; }
void Variable::set_trainable(bool trainable) {
  existing(state_, "set_trainable").options.trainable = trainable;
}
bool Variable::overwrite_with_gradient() const { return state_ && state_->overwrite_with_gradient; }
void Variable::set_overwrite_with_gradient(bool overwrite) {
  existing(state_, "set_overwrite_with_gradient").overwrite_with_gradient = overwrite;
}
const Variable::Options& Variable::options() const { return existing(state_, "options").options; }
uint64_t Variable::key() const { return existing(state_, "key").key; }

VariableOverlay::VariableOverlay() : outermost_(!graph_context().overlay) {
  ++overlays;
  if (outermost_) graph_context().overlay = this;
}

VariableOverlay::~VariableOverlay() {
  --overlays;
  if (outermost_) graph_context().overlay = nullptr;
}

Tensor& VariableOverlay::value_of(const Variable& variable) {
  const auto [place, fresh] = entries_.try_emplace(variable.key());
  Entry& entry = place->second;
  if (fresh) entry = {variable, variable.state_->value, variable.state_->value};
  return entry.now;
}

void VariableOverlay::commit() {
  for (auto& [key, entry] : entries_)
    // What was only read keeps its value, so that other plans see no new identity.
    if (entry.now.impl() != entry.before.impl()) entry.variable.state_->value = entry.now;
  entries_.clear();
}

StatelessScope::StatelessScope(const Mapping& state_mapping) : outer_(stateless) {
  for (const auto& [variable, value] : state_mapping) add_update(variable, value);
  stateless = this;
}

StateValues::StateValues(const std::vector<Variable>& variables) {
  for (const Variable& v : variables) values_.push_back(v.value());
}

StatelessScope::StatelessScope(const std::vector<Variable>& variables, const StateValues& values,
                               const char* what)
    : outer_(stateless) {
  add_updates(variables, values, what);
  stateless = this;
}

void StatelessScope::add_updates(const std::vector<Variable>& variables, const StateValues& values,
                                 const char* what) {
  if (values.tensors().size() != variables.size())
    throw ValueError(fmt::format("{}: expected {} values, one for each variable, found {}.", what,
                                 variables.size(), values.tensors().size()));
  for (size_t i = 0; i < variables.size(); ++i) add_update(variables[i], values.tensors()[i]);
}

std::vector<Tensor> StatelessScope::values_of(const std::vector<Variable>& variables) const {
  std::vector<Tensor> values;
  for (const Variable& v : variables) {
    const Tensor value = get_current_value(v);
    values.push_back(value ? value : v.value());
  }
  return values;
}

bool StatelessScope::active() { return stateless != nullptr; }

StatelessScope::~StatelessScope() { stateless = outer_; }

void StatelessScope::add_update(const Variable& variable, const Tensor& value) {
  if (!variable) throw StateError("StatelessScope: a variable has not been created yet.");
  if (value.shape() != variable.shape())
    throw ShapeError(
        fmt::format("StatelessScope: variable '{}' of shape {} cannot have a value of shape {}.",
                    variable.path(), variable.shape().str(), value.shape().str()));
  values_[variable.key()] =
      value.dtype() == variable.dtype() ? value : detail::convert_dtype(value, variable.dtype());
}

Tensor StatelessScope::get_current_value(const Variable& variable) const {
  const auto found = values_.find(variable.key());
  return found == values_.end() ? Tensor() : found->second;
}

AutocastScope::AutocastScope(DType dtype)
    : previous_(autocast.dtype), had_previous_(autocast.active) {
  autocast = {dtype, true};
}
AutocastScope::~AutocastScope() { autocast = {previous_, had_previous_}; }

}  // namespace cornu
