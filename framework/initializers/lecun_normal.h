// LecunNormal: values of a truncated normal distribution with the variance 1 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of LecunNormal, as in Keras.
struct LecunNormalConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_in, distribution truncated_normal. LeCun et al. 1998.
class LecunNormalInitializer
    : public Configured<LecunNormalInitializer, LecunNormalConfig, VarianceDraw> {
 public:
  explicit LecunNormalInitializer(LecunNormalConfig c);  ///< chooses a seed unless one is given
};

using LecunNormal =
    Ref<LecunNormalInitializer>;   ///< a shared LecunNormalInitializer, made from its options
using lecun_normal = LecunNormal;  ///< LecunNormal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::LecunNormalInitializer,
                                 initializers::LecunNormalConfig, initializers::VarianceDraw>;
}
