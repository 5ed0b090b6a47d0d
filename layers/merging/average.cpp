// The mean of tensors.
#include "average.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor AverageLayer::merge(const std::vector<Tensor>& inputs) {
  Tensor sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) sum = sum + inputs[i];
  // Keras on TensorFlow, which divides wide integers in float64.
  if (sum.dtype() == DType::int32 || sum.dtype() == DType::int64)
    sum = ops::cast(sum, DType::float64);
  return sum / Tensor(static_cast<double>(inputs.size()));
}

Tensor average(const Nest& inputs, MergeConfig options) {
  return Average(std::move(options))(inputs);
}

void register_average(Catalog& c) { c.add<AverageLayer>("keras.layers.Average"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AverageLayer, cornu::layers::MergeConfig>;
