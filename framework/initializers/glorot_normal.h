// GlorotNormal: values of a truncated normal distribution with the variance 1 over the mean of
// inputs and outputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of GlorotNormal, as in Keras.
struct GlorotNormalConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_avg, distribution truncated_normal. Glorot and Bengio
/// 2010.
class GlorotNormalInitializer
    : public Configured<GlorotNormalInitializer, GlorotNormalConfig, VarianceDraw> {
 public:
  explicit GlorotNormalInitializer(GlorotNormalConfig c);  ///< chooses a seed unless one is given
};

using GlorotNormal =
    Ref<GlorotNormalInitializer>;    ///< a shared GlorotNormalInitializer, made from its options
using glorot_normal = GlorotNormal;  ///< GlorotNormal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::GlorotNormalInitializer,
                                 initializers::GlorotNormalConfig, initializers::VarianceDraw>;
}
