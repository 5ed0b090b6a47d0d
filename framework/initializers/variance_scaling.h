// VarianceScaling: random values whose variance fits the number of inputs or outputs of a weight.
#pragma once
#include <string>
#include <vector>

#include "random_initializer.h"

namespace cornu::initializers {

/// Options of VarianceScaling, as in Keras.
struct VarianceScalingConfig {
  /// Factor of the variance, positive.
  double scale = 1.0;
  std::string mode = "fan_in";                    ///< or "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  ///< or "normal", "untruncated_normal", "uniform"
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// The sizes of a weight's inputs and outputs: those of the given axes; else, of (..., in, out), in
/// and out, each times the product of the leading axes; of (n), n and n.
struct Fans {
  /// @{
  /// fan_in and fan_out.
  double in, out;
  /// @}
};
/// The fans of a weight; both lists of axes count together, or none does.
Fans compute_fans(const Shape& shape, const std::optional<std::vector<int64_t>>& input_axes,
                  const std::optional<std::vector<int64_t>>& output_axes);

/// Draws with the variance scale / max(1, fan), where fan is the number of inputs, of outputs or
/// their mean.
class VarianceDraw : public RandomInitializer {
 public:
  Tensor operator()(const Shape& shape, DType dtype) override;

 protected:
  /// Throws ValueError for a scale that is not positive, or an unknown mode or distribution.
  void set(VarianceScalingConfig rule);

 private:
  VarianceScalingConfig rule_;
};

/// Draws whose variance is `scale` over a fan, as in He et al. 2015,
/// https://arxiv.org/abs/1502.01852.
class VarianceScalingInitializer
    : public Configured<VarianceScalingInitializer, VarianceScalingConfig, VarianceDraw> {
 public:
  /// Throws ValueError for a scale that is not positive, or an unknown mode or distribution.
  explicit VarianceScalingInitializer(VarianceScalingConfig c);
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using VarianceScaling =
    Ref<VarianceScalingInitializer>;       ///< a shared initializer, made from its options
using variance_scaling = VarianceScaling;  ///< VarianceScaling by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::VarianceScalingInitializer,
                                 initializers::VarianceScalingConfig, initializers::VarianceDraw>;
}
