// The rectifier.
#include "relu.h"

#include <fmt/core.h>

#include <limits>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

ReLULayer::ReLULayer(ReLUConfig c) : LayerOf(std::move(c)) {
  auto check = [](const char* option, double value) {
    if (!(value >= 0))
      throw ValueError(fmt::format("option '{}' must not be negative, found {}.", option, value));
  };
  check("max_value", config.max_value.value_or(0));
  check("negative_slope", config.negative_slope);
  check("threshold", config.threshold);
  supports_masking_ = true;
}

Tensor ReLULayer::call(const Tensor& x, const Call&) {
  if (!config.max_value && config.negative_slope == 0 && config.threshold == 0) return ops::relu(x);
  const double ceiling = config.max_value.value_or(std::numeric_limits<double>::infinity());
  const Tensor y = fused(
      [](Expr x, Expr slope, Expr threshold, Expr ceiling) {
        return expr::select(x > threshold, expr::minimum(x, ceiling), slope * (x - threshold));
      },
      x, Tensor(config.negative_slope), Tensor(config.threshold), Tensor(ceiling));
  // Without a slope integers stay integers.
  return config.negative_slope == 0 ? ops::cast(y, x.dtype()) : y;
}

void register_relu(Catalog& c) { c.add<ReLULayer>("keras.layers.ReLU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ReLULayer, cornu::layers::ReLUConfig>;
