// Compiling a model, and its steps.
#include "model.h"

#include <fmt/core.h>

#include <unordered_set>
#include <utility>

#include "../../backend/log.h"
#include "../autodiff/tape.h"
#include "../base/call_scope.h"
#include "../base/loss_scaling.h"
#include "../base/no_call.h"
#include "../compile/function.h"
#include "../config/class_name.h"
#include "../config/quoted_names.h"
#include "../ops/convert.h"
#include "../ops/core/cast.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "compiled.h"
#include "standardize.h"

namespace cornu {

Model::Model() : loss_mean_(std::make_shared<RunningMean>("loss")) {
  autocast_ = false;
  make_functions();
}
Model::~Model() = default;

void Model::compile(CompileOptions options) {
  if (!options.optimizer) throw ValueError("compile: the optimizer is empty.");
  if (options.steps_per_execution < 1)
    throw ValueError("compile: steps_per_execution must be at least 1.");
  if (const std::string& jit = options.jit_compile;
      jit != "auto" && jit != "true" && jit != "false")
    throw ValueError(
        fmt::format("compile: jit_compile is '{}', expected 'auto', true or false.", jit));
  if (options.remat && !has_sections())
    throw UnsupportedError(fmt::format(
        "compile: remat is for Functional and Sequential models; model '{}' is neither. "
        "Wrap parts of its call in remat(f).",
        name()));
  // Everything that can fail is done before anything changes.
  auto loss = std::make_unique<CompiledLoss>(options.loss, options.loss_weights);
  options.metrics = options.metrics.by_name(output_names());
  options.weighted_metrics = options.weighted_metrics.by_name(output_names());
  auto metrics =
      std::make_shared<CompiledMetrics>(options.metrics, options.weighted_metrics, output_names());
  loss_ = std::move(loss);
  metrics_ = std::move(metrics);
  optimizer_ = options.optimizer.shared();
  // Gradients in float16 underflow without a scale.
  if (options.auto_scale_loss && dtype_policy().name() == "mixed_float16" &&
      !dynamic_cast<const LossScaling*>(optimizer_.get()))
    optimizer_ = std::make_shared<LossScaling>(LossScalingConfig{Choice<Optimizer>(optimizer_)});
  compile_options_ = std::move(options);
  loss_mean_->reset_state();
  forget_layers();
  compiled_ = true;
}

namespace {
[[noreturn]] void throw_no_graph(const Model& model, const char* what) {
  throw StateError(fmt::format(
      "Model '{}' has no symbolic {}: it is no Functional or Sequential model, and its call is not "
      "a graph.",
      model.name(), what));
}
}  // namespace

Nest Model::inputs() const { throw_no_graph(*this, "inputs"); }

Nest Model::outputs() const { throw_no_graph(*this, "outputs"); }

void Model::warn_of_plain_copy(const std::type_info& plain) const {
  if (typeid(*this) == plain) return;
  const std::string own = detail::handle_name(typeid(*this), ""),
                    base = detail::handle_name(plain, "");
  warn_once(fmt::format(
      "The {} '{}' lives on the stack, so in another model a plain {} with the same layers stands "
      "for it: its own methods are not called there, and files say {}. Make it with make<{}>().",
      own, name(), base, base, own));
}

void Model::forget_layers() {
  forget_step_cache();
  make_functions();
}

void Model::require_compiled(const char* what) const {
  if (!compiled_)
    throw StateError(fmt::format(
        "{}: model '{}' is not compiled. Call compile({{.optimizer = ..., .loss = ...}}) first.",
        what, name()));
}

void Model::build_many(const Nest& inputs) {
  Layer::build_many(inputs);
  try {
    infer_outputs({{Value(inputs)}, {}},
                  [&](const Arguments& a) { return call_many(a.positional[0].nest(), {}); });
  } catch (const NeedsValues&) {
    // `call` looks at values: what it reaches is built by the first real call.
  } catch (const NoCall& e) {
    // Its steps call its layers. The model holds what weights these have.
    if (e.layer() != this) throw;
    std::vector<std::string> open;
    for (const auto& layer : sublayers())
      if (!layer->built()) open.push_back(layer->name());
    if (!open.empty())
      warn_once(fmt::format(
          "Model '{}' has no call that could build its layers. Not built yet, and so in "
          "no file, are the weights of {}. Call these on data, or build them, first.",
          name(), detail::quoted_names(open)));
  }
}

void Model::forget_step_cache() const {
  const std::lock_guard lock(cache_mutex_);
  cache_.reset();
}

std::shared_ptr<const Model::StepCache> Model::step_cache() const {
  const std::lock_guard lock(cache_mutex_);
  if (cache_) return cache_;
  auto cache = std::make_shared<StepCache>();
  const std::function<void(const Layer&)> visit = [&](const Layer& layer) {
    if (std::find(cache->layers.begin(), cache->layers.end(), &layer) != cache->layers.end())
      return;
    cache->layers.push_back(&layer);
    for (const auto& inside : layer.sublayers()) {
      cache->owners.push_back(inside);
      visit(*inside);
    }
  };
  visit(*this);
  cache->trainable = trainable_variables();
  for (const Variable& v : cache->trainable)
    if (v.options().regularizer) cache->regularized.push_back(v);
  cache->metrics = layer_metrics();
  // One made before all layers are built does not know all variables.
  // Until then the list is found anew for each step.
  if (std::all_of(cache->layers.begin(), cache->layers.end(),
                  [](const Layer* layer) { return layer->built(); }))
    cache_ = cache;
  return cache;
}

namespace {

// Says that the step of this model is under way. Not around a step of the user's, which may call
// the model more than once for one gradient.
class WholeStep {
 public:
  explicit WholeStep(const Layer& model) : outer_(std::exchange(call_context().whole, &model)) {}
  ~WholeStep() { call_context().whole = outer_; }
  WholeStep(const WholeStep&) = delete;

 private:
  const Layer* outer_;
};

}  // namespace

Nest Model::forward(const Nest& x, bool training) {
  const WholeStep whole(*this);
  return (*this)(standardize(x), {.training = training});
}

Tensor Model::compute_loss(const Nest&, const Nest& y, const Nest& y_pred,
                           const Nest& sample_weight) {
  Tensor total;
  try {
    if (loss_ && !loss_->empty()) total = (*loss_)(y, y_pred, sample_weight, output_names());
  } catch (ShapeError& e) {
    e.prepend(fmt::format("Model '{}'", name()));
    throw;
  }
  // What a layer adds may have axes, or be of integers: it counts with its sum.
  auto add = [&](const Tensor& t) {
    const Tensor numbers = is_float(t.dtype()) ? t : ops::cast(t, DType::float32);
    const Tensor sum = t.rank() == 0 ? numbers : ops::sum(numbers);
    total = total ? total + sum : sum;
  };
  if (const LossScope* scope = call_context().losses; !scope || !scope->losses().empty()) {
    for (const Tensor& t : losses()) add(t);
  } else {
    const auto cache = step_cache();
    for (const Variable& v : cache->regularized) add(v.options().regularizer(v.value()));
  }
  if (!total)
    throw StateError(
        fmt::format("Model '{}' has no loss: neither compile nor a layer gave one.", name()));
  return total;
}

StepLogs Model::compute_metrics(const Nest&, const Nest& y, const Nest& y_pred,
                                const Nest& sample_weight) try {
  if (metrics_ && !metrics_->empty()) {
    const auto all = [&](const Nest& nest) { return loss_ ? loss_->for_all(nest) : nest; };
    metrics_->update(all(y), y_pred, all(sample_weight), output_names());
  }
  return StepLogs([this] { return get_metrics_result(); });
} catch (ShapeError& e) {
  e.prepend(fmt::format("Model '{}'", name()));
  throw;
}

StepLogs Model::train_step(const Batch& batch) {
  // Steps of several threads, and of models inside of models, keep their added losses apart.
  const LossScope losses;
  GradientTape tape;
  const Nest y_pred = forward(batch.x, true);
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  // As a tensor: reading the loss would make the device wait, and the step stay eager.
  loss_mean_->add(loss, batch_size_of(batch.x));
  const auto cache = step_cache();
  const std::vector<Variable>& variables = cache->trainable;
  // The scaled loss is differentiated, the plain one reported.
  const std::vector<Tensor> gradients = tape.gradient(optimizer_->scale_loss(loss), variables);
  if (!variables.empty())
    optimizer_->apply(gradients, variables);
  else
    warn_once(fmt::format(
        "Model '{}' has no trainable variables, so that training does not change it. Layers that a "
        "model of your own holds are known to it by track(...), and trainable must not be false.",
        name()));
  // On the predictions from before the update, as Keras does.
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

StepLogs Model::test_step(const Batch& batch) {
  const LossScope losses;
  const Nest y_pred = forward(batch.x, false);
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  loss_mean_->add(loss, batch_size_of(batch.x));
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

Nest Model::predict_step(const Batch& batch) {
  const LossScope losses;
  return forward(batch.x, false);
}

// --- compiled steps
// ------------------------------------------------------------------------------------------

namespace {

Nest nest_of(const StepLogs& logs) {
  // The model's figures are looked at when they are wanted, and not in every step.
  if (logs.pending() || logs.empty()) return {};
  Nest::Dict dict;
  for (const auto& [name, value] : logs) dict.emplace_back(name, value);
  return Nest::dict(std::move(dict));
}

StepLogs logs_of(const Nest& nest) {
  StepLogs logs;
  if (nest.is_dict())
    for (const auto& [name, value] : nest.entries()) logs[name] = value.tensor();
  return logs;
}

Batch batch_of(const Nest& arguments) { return {arguments[0], arguments[1], arguments[2]}; }

Nest arguments_of(Batch batch) {
  Nest::List arguments;
  arguments.reserve(3);  // in braces each would be copied
  arguments.push_back(std::move(batch.x));
  arguments.push_back(std::move(batch.y));
  arguments.push_back(std::move(batch.sample_weight));
  return arguments;
}

}  // namespace

void Model::make_functions() {
  const std::vector<std::string> names = {"x", "y", "sample_weight"};
  // What add_loss collects is the step's own, also where a step is a user's.
  train_function_ = std::make_unique<Function>(
      [this](const Nest& arguments) {
        const LossScope losses;
        return nest_of(train_step(batch_of(arguments)));
      },
      Function::Options{
          .name = "train_step", .argument_names = names, .first_call = FirstCall::replays});
  test_function_ = std::make_unique<Function>(
      [this](const Nest& arguments) {
        const LossScope losses;
        return nest_of(test_step(batch_of(arguments)));
      },
      Function::Options{
          .name = "test_step", .argument_names = names, .first_call = FirstCall::replays});
  predict_function_ = std::make_unique<Function>(
      [this](const Nest& x) {
        const LossScope losses;
        return predict_step({x});
      },
      Function::Options{
          .name = "predict_step", .argument_names = {"x"}, .first_call = FirstCall::replays});
  // New functions, not cleared ones: plans hold variables of the former optimizer and metrics.
  for (Function* f : {train_function_.get(), test_function_.get(), predict_function_.get()})
    f->set_enabled(!compile_options_.run_eagerly);
}

std::vector<Variable> Model::run_variables(const Batch& batch) {
  // First, since it makes what the first step makes.
  const std::vector<Variable> assigned = train_function_->prepare(arguments_of(batch));
  std::vector<Variable> all;
  std::unordered_set<uint64_t> known;
  const auto add = [&](const std::vector<Variable>& variables) {
    for (const Variable& v : variables)
      if (known.insert(v.key()).second) all.push_back(v);
  };
  add(weights());
  const auto cache = step_cache();
  for (const Layer* layer : cache->layers)
    for (const auto& seed : layer->seed_generators()) add({seed->state()});
  if (optimizer_) add(optimizer_->variables());
  add(loss_mean_->variables());
  // Of Model, since one that overrides it may leave out what evaluate uses.
  for (const auto& metric : Model::metrics()) add(metric->variables());
  for (const auto& metric : metrics()) add(metric->variables());
  // Those that only the step knows: a second optimizer, a metric of one's own.
  add(assigned);
  return all;
}

StepLogs Model::run_train_step(Batch batch) {
  return logs_of((*train_function_)(arguments_of(std::move(batch))));
}
StepLogs Model::run_test_step(Batch batch) {
  return logs_of((*test_function_)(arguments_of(std::move(batch))));
}
Nest Model::run_predict_step(const Nest& x) { return (*predict_function_)(x); }

std::string Model::explain() const {
  return train_function_->explain() + test_function_->explain() + predict_function_->explain();
}

void Model::set_run_eagerly(bool run_eagerly) {
  compile_options_.run_eagerly = run_eagerly;
  make_functions();
}

// --- files
// ---------------------------------------------------------------------------------------------------

Value::Dict Model::get_compile_config() const {
  if (!compiled_) return {};
  auto weights = [&]() -> Value {
    if (!compile_options_.loss_weights.list.empty())
      return Value(compile_options_.loss_weights.list);
    if (compile_options_.loss_weights.dict.empty()) return {};
    Value::Dict dict;
    for (const auto& [name, weight] : compile_options_.loss_weights.dict)
      dict.emplace_back(name, weight);
    return dict;
  };
  auto metrics = [](const MetricOption& option) {
    return option.empty() ? Value() : option.value();
  };
  // Keras writes what it makes of "auto".
  const bool jit =
      jit_compile() == "auto" ? !compile_options_.run_eagerly : jit_compile() == "true";
  return {{"optimizer", serialize(*optimizer_)},
          {"loss", compile_options_.loss.value()},
          {"loss_weights", weights()},
          {"metrics", metrics(compile_options_.metrics)},
          {"weighted_metrics", metrics(compile_options_.weighted_metrics)},
          {"run_eagerly", compile_options_.run_eagerly},
          {"steps_per_execution", compile_options_.steps_per_execution},
          {"jit_compile", jit}};
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
  const auto weight = [](const Value& v) {
    return v.is_null() ? 1.0 : detail::from_value<double>(v);
  };
  if (const Value weights = get("loss_weights"); weights.is<Value::List>()) {
    for (const Value& v : weights.get<Value::List>())
      options.loss_weights.list.push_back(weight(v));
  } else if (weights.is_number()) {
    options.loss_weights.list = {weights.number()};
  } else if (weights.is<Value::Dict>()) {
    for (const auto& [name, v] : weights.get<Value::Dict>())
      options.loss_weights.dict.emplace_back(name, weight(v));
  }
  if (const Value v = get("run_eagerly"); v.is<bool>()) options.run_eagerly = v.get<bool>();
  if (const Value v = get("steps_per_execution"); v.is<int64_t>())
    options.steps_per_execution = v.get<int64_t>();
  if (const Value v = get("jit_compile"); v.is<bool>()) options.jit_compile = v.get<bool>();
  compile(std::move(options));
}

}  // namespace cornu
