// Trial steps that leave no trace.
#include "model_state.h"

#include "../autodiff/tape.h"
#include "../base/call_scope.h"
#include "../base/loss_scaling.h"

namespace cornu::detail {
namespace {

// An optimizer like this one that has not stepped yet; the same one when its class cannot be made
// from its options.
std::shared_ptr<Optimizer> fresh_copy(const std::shared_ptr<Optimizer>& optimizer,
                                      std::optional<double> rate) {
  if (const auto* scaling = dynamic_cast<const LossScaling*>(optimizer.get())) {
    LossScalingConfig config = scaling->config;
    config.inner_optimizer = Choice<Optimizer>(fresh_copy(scaling->inner_optimizer(), rate));
    return std::make_shared<LossScaling>(config);
  }
  try {
    Value value = serialize(*optimizer);
    Value::Dict whole = value.get<Value::Dict>();
    for (auto& [key, part] : whole) {
      if (key != "config" || !part.is<Value::Dict>()) continue;
      Value::Dict config = part.get<Value::Dict>();
      for (auto& [name, option] : config)
        if (name == "learning_rate" && rate) option = Value(*rate);
      part = Value(std::move(config));
    }
    if (auto copy = std::dynamic_pointer_cast<Optimizer>(deserialize(Value(std::move(whole)))))
      return copy;
  } catch (const Error&) {
  }
  return optimizer;
}

}  // namespace

Trial::Trial(Model& model, std::optional<double> rate)
    : model_(model),
      optimizer_(model.optimizer() ? fresh_copy(model.optimizer(), rate) : nullptr),
      outer_(graph_context().assignments) {
  if (model.compiled()) {
    const CompileOptions& options = model.compile_options();
    loss_ = std::make_unique<CompiledLoss>(options.loss, options.loss_weights);
    metrics_ = std::make_shared<CompiledMetrics>(MetricOption(), MetricOption());
  }
  mean_ = std::make_shared<RunningMean>("loss");
  exchange();
  graph_context().assignments = &assigned_;
}

Trial::~Trial() {
  rewind();
  graph_context().assignments = outer_;
  exchange();
}

void Trial::exchange() {
  ModelState::exchange(model_, optimizer_, loss_, metrics_, mean_);
  ModelState::forget_layers(model_);
}

void Trial::rewind() {
  // The very tensors, so that plans see that nothing has changed.
  for (const auto& [variable, value] : assigned_) variable.stored() = value;
}

std::optional<double> Trial::step(const Batch& batch) {
  const LossScope losses;
  model_.reset_metrics();
  const StepLogs own = model_.train_step(batch);
  for (const auto& [name, value] : ModelState::figures_of(model_, own))
    if (name == "loss") return value.item();
  return {};
}

LossGradients loss_gradients(Model& model, const Batch& batch) {
  const Trial trial(model);
  const LossScope losses;
  GradientTape tape;
  const Nest y_pred = model(ModelState::standardize(model, batch.x), {.training = true});
  const Tensor loss = model.compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  LossGradients gradients{loss.item(), model.trainable_variables(), {}};
  gradients.values = tape.gradient(loss, gradients.variables);
  return gradients;
}

}  // namespace cornu::detail
