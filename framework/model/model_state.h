// ModelState: what of a model its trial steps and replays need to see, and to put back.
#pragma once
#include <memory>
#include <vector>

#include "compiled.h"
#include "model.h"

namespace cornu::detail {

/// Access to a model's state for those who run its steps beside fit.
struct ModelState {
  /// Inputs as the model's layers take them.
  static Nest standardize(const Model& model, const Nest& x) { return model.standardize(x); }
  /// Everything that a training step on this batch changes; makes what its first step makes.
  static std::vector<Variable> run_variables(Model& model, const Batch& batch) {
    return model.run_variables(batch);
  }
  /// Puts these in the place of the model's own.
  static void exchange(Model& model, std::shared_ptr<Optimizer>& optimizer,
                       std::unique_ptr<CompiledLoss>& loss,
                       std::shared_ptr<CompiledMetrics>& metrics,
                       std::shared_ptr<RunningMean>& mean) {
    std::swap(model.optimizer_, optimizer);
    std::swap(model.loss_, loss);
    std::swap(model.metrics_, metrics);
    std::swap(model.loss_mean_, mean);
  }
  /// The figures of a step that returned these.
  static StepLogs figures_of(Model& model, const StepLogs& returned) {
    return model.figures_of(returned);
  }
  /// Forgets which layers there are.
  static void forget_layers(Model& model) { model.forget_step_cache(); }
};

/// While one lives, a compiled model trains with an optimizer, losses and metrics of its own, which
/// begin anew, and every variable that is assigned on this thread gets its value back at the end.
class Trial {
 public:
  /// `rate` is the optimizer's learning rate; none: that of the model's.
  explicit Trial(Model& model, std::optional<double> rate = {});
  ~Trial();
  Trial(const Trial&) = delete;

  /// Gives all variables the values from before the trial.
  void rewind();
  /// One training step, eagerly, and the loss that it reports; none where the model's train_step
  /// reports no loss.
  std::optional<double> step(const Batch& batch);

 private:
  void exchange();

  Model& model_;
  std::shared_ptr<Optimizer> optimizer_;
  std::unique_ptr<CompiledLoss> loss_;
  std::shared_ptr<CompiledMetrics> metrics_;
  std::shared_ptr<RunningMean> mean_;
  AssignmentList assigned_;
  AssignmentList* outer_;
};

/// The loss of one batch, and what it is differentiated to.
struct LossGradients {
  double loss = 0;                  ///< with penalties
  std::vector<Variable> variables;  ///< the trainable ones
  std::vector<Tensor> values;       ///< of the variables, in their order; empty where there is none
};

/// The gradients of one training batch's loss, computed beside the training: the model stays as it
/// is. Throws StateError when the model has no loss of its own.
LossGradients loss_gradients(Model& model, const Batch& batch);

}  // namespace cornu::detail
