// GradientTape: records what is computed while it is open, and differentiates it.
#pragma once
#include <initializer_list>
#include <vector>

#include "../dispatch/custom_gradient.h"
#include "../dispatch/variable.h"
#include "../tensor/recorder.h"

namespace cornu {

/// Records operations on this thread from its construction until `gradient` (or, when persistent,
/// until `stop` or its destruction). Tapes nest; an outer tape sees the gradient computations of an
/// inner one, which gives higher derivatives.
///
///   GradientTape tape;
///   Tensor loss = ops::mean(ops::square(model(x) - y));
///   std::vector<Tensor> gradients = tape.gradient(loss, model.trainable_variables());
class GradientTape : private Recorder {
 public:
  /// Options of a tape.
  struct Options {
    /// Allows several calls of `gradient`; the tape then records until `stop`.
    bool persistent = false;
    /// Trainable variables are watched as they are read.
    bool watch_accessed_variables = true;
  };

  GradientTape() : GradientTape(Options{}) {}
  /// Opens a tape inside those that are open on this thread.
  explicit GradientTape(Options options);
  ~GradientTape() override;
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes gradients with respect to this tensor available. Throws ValueError for integers.
  void watch(const Tensor& tensor);
  /// The same for a variable, also one that is not trainable.
  void watch(const Variable& variable);
  /// Ends the recording.
  void stop();

  /// d target / d source for each source; an empty Tensor where the target does not depend on it.
  /// A target that is not a scalar counts as the sum of its elements, unless `target_gradient`, of
  /// its shape, is given. Throws StateError on a second call of a tape that is not persistent,
  /// ShapeError for a gradient of another shape, ValueError where a target or source is no tensor.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               const Tensor& target_gradient = {});
  /// The same for tensors that are watched or computed from watched ones.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources,
                               const Tensor& target_gradient = {});
  /// The same for variables in braces.
  std::vector<Tensor> gradient(const Tensor& target, std::initializer_list<Variable> sources,
                               const Tensor& target_gradient = {}) {
    return gradient(target, std::vector<Variable>(sources), target_gradient);
  }
  /// The same for tensors in braces: a list of gradients, also for one.
  std::vector<Tensor> gradient(const Tensor& target, std::initializer_list<Tensor> sources,
                               const Tensor& target_gradient = {}) {
    return gradient(target, std::vector<Tensor>(sources), target_gradient);
  }
  /// The same for one variable.
  Tensor gradient(const Tensor& target, const Variable& source);
  /// The same for one tensor.
  Tensor gradient(const Tensor& target, const Tensor& source);
  /// Several targets at once, each with the gradient that flows into it. Both are let go of as the
  /// gradients are passed on, if the caller moves them here.
  std::vector<Tensor> gradient(std::vector<Tensor> targets, const std::vector<Tensor>& sources,
                               std::vector<Tensor> target_gradients);

 private:
  struct Entry;
  void record(const Step& step) override;
  void read(const Tensor& value) override;
  std::vector<Tensor> differentiate(std::vector<Tensor> targets,
                                    const std::vector<uint64_t>& sources,
                                    std::vector<Tensor> target_gradients);

  Options options_;
  uint32_t bit_;
  bool open_ = true;
  bool used_ = false;
  std::vector<Entry> entries_;
};

}  // namespace cornu
