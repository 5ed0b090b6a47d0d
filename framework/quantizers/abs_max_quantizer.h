// AbsMaxQuantizer: integers whose scale comes from the largest number.
#pragma once
#include "../config/config.h"
#include "quantizer.h"

namespace cornu::quantizers {

/// Options of AbsMaxQuantizer, as in Keras.
struct AbsMaxQuantizerConfig {
  OptionalList<std::vector<int64_t>> axis = {};   ///< which one scale serves; nothing: the last
  std::vector<double> value_range = {-127, 127};  ///< least and greatest integer
  double epsilon = 1e-7;  ///< added to the largest absolute value, so that zeros have a scale
  DType output_dtype = DType::int8;  ///< of the integers
};

/// ops::abs_max_quantize as an object.
class AbsMaxQuantization : public Configured<AbsMaxQuantization, AbsMaxQuantizerConfig, Quantizer> {
 public:
  /// Throws ValueError for a range that output_dtype cannot hold.
  explicit AbsMaxQuantization(AbsMaxQuantizerConfig c);
  std::pair<Tensor, Tensor> operator()(const Tensor& x,
                                       const std::optional<Axes>& axis = {}) const override;
  DType output_dtype() const override { return config.output_dtype; }
  std::pair<double, double> value_range() const override;
  std::optional<std::vector<int64_t>> axes() const override { return config.axis; }
  Value::Dict get_config() const override;
};

using AbsMaxQuantizer =
    Ref<AbsMaxQuantization>;  ///< a shared AbsMaxQuantization, made from its options

}  // namespace cornu::quantizers

namespace cornu {
extern template class Configured<quantizers::AbsMaxQuantization, quantizers::AbsMaxQuantizerConfig,
                                 Quantizer>;
}
