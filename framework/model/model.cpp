// Compiling a model, and its steps.
#include "model.h"

#include <fmt/core.h>

#include "../base/loss_scaling.h"
#include "../graph/function.h"
#include "../graph/tape.h"
#include "../ops/core.h"
#include "../ops/operators.h"
#include "../ops/reduction.h"
#include "compiled.h"

namespace cornu {

Model::Model() : loss_mean_(std::make_unique<RunningMean>()) {
  autocast_ = false;
  make_functions();
}
Model::~Model() = default;

void Model::compile(CompileOptions options) {
  if (!options.optimizer) throw ValueError("compile: the optimizer is empty.");
  if (options.steps_per_execution < 1) throw ValueError("compile: steps_per_execution must be at least 1.");
  if (options.jit_compile != "auto" && options.jit_compile != "true" && options.jit_compile != "false")
    throw ValueError(fmt::format("compile: jit_compile is '{}', expected 'auto', 'true' or 'false'.", options.jit_compile));
  if (options.remat && !has_sections())
    throw UnsupportedError(fmt::format("compile: remat is for Functional and Sequential models; model '{}' is neither. "
                                       "Wrap parts of its call in remat(f).", name()));
  // Everything that can fail is done before anything changes.
  auto loss = std::make_unique<CompiledLoss>(options.loss, options.loss_weights);
  auto metrics = std::make_unique<CompiledMetrics>(options.metrics, options.weighted_metrics);
  loss_ = std::move(loss);
  metrics_ = std::move(metrics);
  optimizer_ = options.optimizer.shared();
  // Gradients in float16 underflow without a scale.
  if (options.auto_scale_loss && dtype_policy().name() == "mixed_float16" &&
      !dynamic_cast<const LossScaling*>(optimizer_.get()))
    optimizer_ = std::make_shared<LossScaling>(LossScalingConfig{Choice<Optimizer>(optimizer_)});
  compile_options_ = std::move(options);
  loss_mean_->reset();
  forget_layers();
  compiled_ = true;
}

void Model::forget_layers() {
  cache_ = {};
  make_functions();
}

void Model::require_compiled(const char* what) const {
  if (!compiled_)
    throw StateError(fmt::format("{}: model '{}' is not compiled. Call compile({{.optimizer = ..., .loss = ...}}) first.",
                                 what, name()));
}

void Model::build_many(const Nest& inputs) {
  Layer::build_many(inputs);
  try {
    infer_outputs({{Value(inputs)}, {}}, [&](const Arguments& a) { return call_many(a.positional[0].nest(), {}); });
  } catch (const StateError&) {
    // It asked for values.
  }
}

const Model::StepCache& Model::step_cache() {
  if (cache_.valid) return cache_;
  cache_ = {};
  const std::function<void(Layer&)> visit = [&](Layer& layer) {
    if (std::find(cache_.layers.begin(), cache_.layers.end(), &layer) != cache_.layers.end()) return;
    cache_.layers.push_back(&layer);
    for (const auto& inside : layer.sublayers()) {
      cache_.owners.push_back(inside);
      visit(*inside);
    }
  };
  visit(*this);
  cache_.trainable = trainable_variables();
  for (const Variable& v : cache_.trainable)
    if (v.options().regularizer) cache_.regularized.push_back(v);
  cache_.metrics = layer_metrics();
  cache_.valid = true;
  return cache_;
}

Nest Model::forward(const Nest& x, bool training) {
  // A cache made before the layers were built knows none of their variables.
  const bool fresh = !cache_.valid || !built();
  if (fresh) clear_losses();
  else
    for (Layer* layer : cache_.layers) layer->own_losses().clear();
  const Nest y = (*this)(standardize(x), {.training = training});
  // Layers may have come into being by the first call.
  if (fresh) {
    cache_.valid = false;
    step_cache();
  }
  return y;
}

namespace {
double batch_size_of(const Nest& x) {
  const Tensor t = x.is_tensor() ? x.tensor() : x.flatten().at(0);
  return t.rank() > 0 ? static_cast<double>(t.shape()[0]) : 1.0;
}
}  // namespace

Tensor Model::compute_loss(const Nest&, const Nest& y, const Nest& y_pred, const Nest& sample_weight) {
  Tensor total;
  if (loss_ && !loss_->empty()) total = (*loss_)(y, y_pred, sample_weight, output_names());
  const StepCache& cache = step_cache();
  auto add = [&](const Tensor& t) { total = total ? total + t : t; };
  for (Layer* layer : cache.layers)
    for (const Tensor& t : layer->own_losses()) add(t);
  for (const Variable& v : cache.regularized) add(v.options().regularizer(v.value()));
  if (!total)
    throw StateError(fmt::format("Model '{}' has no loss: neither compile nor a layer gave one.", name()));
  return total;
}

void Model::compute_metrics(const Nest&, const Nest& y, const Nest& y_pred, const Nest& sample_weight) {
  if (metrics_ && !metrics_->empty()) metrics_->update(y, y_pred, sample_weight, output_names());
}

StepLogs Model::train_step(const Batch& batch) {
  GradientTape tape;
  const Nest y_pred = forward(batch.x, true);
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  loss_mean_->add(loss, batch_size_of(batch.x));
  const std::vector<Variable>& variables = step_cache().trainable;
  const std::vector<Tensor> gradients = tape.gradient(optimizer_->scale_loss(loss), variables);
  if (!variables.empty()) optimizer_->apply(gradients, variables);
  compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
  return {};
}

StepLogs Model::test_step(const Batch& batch) {
  const Nest y_pred = forward(batch.x, false);
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  loss_mean_->add(loss, batch_size_of(batch.x));
  compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
  return {};
}

Nest Model::predict_step(const Batch& batch) { return forward(batch.x, false); }

// --- compiled steps ------------------------------------------------------------------------------------------

namespace {

Nest nest_of(const StepLogs& logs) {
  if (logs.empty()) return {};
  Nest::Dict dict;
  for (const auto& [name, value] : logs) dict.emplace_back(name, value);
  return Nest::dict(std::move(dict));
}

StepLogs logs_of(const Nest& nest) {
  StepLogs logs;
  if (nest.is_dict())
    for (const auto& [name, value] : nest.entries()) logs.emplace_back(name, value.tensor());
  return logs;
}

Batch batch_of(const Nest& arguments) { return {arguments[0], arguments[1], arguments[2]}; }

Nest arguments_of(const Batch& batch) { return Nest::List{batch.x, batch.y, batch.sample_weight}; }

}  // namespace

void Model::make_functions() {
  const std::vector<std::string> names = {"x", "y", "sample_weight"};
  train_function_ = std::make_unique<Function>(
      [this](const Nest& arguments) { return nest_of(train_step(batch_of(arguments))); },
      Function::Options{"train_step", names});
  test_function_ = std::make_unique<Function>(
      [this](const Nest& arguments) { return nest_of(test_step(batch_of(arguments))); },
      Function::Options{"test_step", names});
  predict_function_ = std::make_unique<Function>([this](const Nest& x) { return predict_step({x}); },
                                                 Function::Options{"predict_step", {"x"}});
  for (Function* f : {train_function_.get(), test_function_.get(), predict_function_.get()})
    f->set_enabled(!compile_options_.run_eagerly && compile_options_.jit_compile != "false");
}

StepLogs Model::run_train_step(const Batch& batch) { return logs_of((*train_function_)(arguments_of(batch))); }
StepLogs Model::run_test_step(const Batch& batch) { return logs_of((*test_function_)(arguments_of(batch))); }
Nest Model::run_predict_step(const Nest& x) { return (*predict_function_)(x); }

std::string Model::explain() const {
  return train_function_->explain() + test_function_->explain() + predict_function_->explain();
}

StepLogs Model::metrics_result() {
  StepLogs logs;
  logs.emplace_back("loss", loss_mean_->result());
  if (loss_) loss_->append_results(logs);
  if (metrics_) metrics_->append_results(logs);
  for (const auto& metric : step_cache().metrics) logs.emplace_back(metric->name(), metric->result());
  return logs;
}

void Model::reset_metrics() {
  loss_mean_->reset();
  if (loss_) loss_->reset();
  if (metrics_) metrics_->reset();
  for (const auto& metric : step_cache().metrics) metric->reset_state();
}

std::vector<std::shared_ptr<Metric>> Model::metrics() const {
  std::vector<std::shared_ptr<Metric>> result = metrics_ ? metrics_->metrics() : std::vector<std::shared_ptr<Metric>>{};
  for (const auto& metric : layer_metrics()) result.push_back(metric);
  return result;
}

std::vector<std::string> Model::metrics_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : metrics_result()) names.push_back(name);
  return names;
}

// --- files ---------------------------------------------------------------------------------------------------

Value::Dict Model::compile_config() const {
  if (!compiled_) return {};
  auto weights = [&]() -> Value {
    if (!compile_options_.loss_weights.list.empty()) return Value(compile_options_.loss_weights.list);
    if (compile_options_.loss_weights.dict.empty()) return {};
    Value::Dict dict;
    for (const auto& [name, weight] : compile_options_.loss_weights.dict) dict.emplace_back(name, weight);
    return dict;
  };
  auto metrics = [](const MetricOption& option) { return option.empty() ? Value() : option.value(); };
  return {{"optimizer", serialize(*optimizer_)},
          {"loss", compile_options_.loss.value()},
          {"loss_weights", weights()},
          {"metrics", metrics(compile_options_.metrics)},
          {"weighted_metrics", metrics(compile_options_.weighted_metrics)},
          {"run_eagerly", compile_options_.run_eagerly},
          {"steps_per_execution", compile_options_.steps_per_execution},
          {"jit_compile", compile_options_.jit_compile == "auto" ? Value(false) : Value(compile_options_.jit_compile == "true")}};
}

void Model::compile_from_config(const Value::Dict& config) {
  CompileOptions options;
  auto get = [&](const char* key) {
    const Value* v = detail::find(config, key);
    return v ? *v : Value();
  };
  if (const Value optimizer = get("optimizer"); !optimizer.is_null())
    options.optimizer = detail::OptionCodec<Choice<Optimizer>>::decode(optimizer);
  options.loss = LossOption::from_value(get("loss"));
  options.metrics = MetricOption::from_value(get("metrics"));
  options.weighted_metrics = MetricOption::from_value(get("weighted_metrics"));
  if (const Value weights = get("loss_weights"); weights.is<Value::List>()) {
    options.loss_weights.list = detail::from_value<std::vector<double>>(weights);
  } else if (weights.is_number()) {
    options.loss_weights.list = {weights.number()};
  } else if (weights.is<Value::Dict>()) {
    for (const auto& [name, v] : weights.get<Value::Dict>())
      options.loss_weights.dict.emplace_back(name, detail::from_value<double>(v));
  }
  if (const Value v = get("run_eagerly"); v.is<bool>()) options.run_eagerly = v.get<bool>();
  if (const Value v = get("steps_per_execution"); v.is<int64_t>()) options.steps_per_execution = v.get<int64_t>();
  if (const Value v = get("jit_compile"); v.is<bool>()) options.jit_compile = v.get<bool>() ? "true" : "false";
  compile(std::move(options));
}

}  // namespace cornu
