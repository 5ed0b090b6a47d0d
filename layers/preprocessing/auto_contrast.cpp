// Images stretched to the whole range.
#include "auto_contrast.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/reduction.h"
#include "augmentation.h"

namespace cornu::layers {

AutoContrastLayer::AutoContrastLayer(AutoContrastConfig c) : LayerOf(std::move(c)) {
  checked_range(config.value_range);
}

std::shared_ptr<AutoContrastLayer> AutoContrastLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor AutoContrastLayer::call(const Tensor& given, const Call&) {
  const std::pair<double, double> range{config.value_range[0], config.value_range[1]},
      bytes{0, 255};
  const Tensor original = ops::cast(given, compute_dtype());
  const Tensor x = to_range(original, range, bytes);
  // As in Keras, axes 1 and 2 whatever the format.
  const std::vector<int64_t> axes = {1, 2};
  const Tensor low = ops::min(x, axes, true), high = ops::max(x, axes, true);
  const Tensor scale = fused([](Expr low, Expr high) { return 255.0 / (high - low); }, low, high);
  const Tensor stretched = fused(
      [](Expr x, Expr low, Expr scale) {
        return expr::minimum(expr::maximum(x * scale + (-low) * scale, 0.0), 255.0);
      },
      x, low, scale);
  const Tensor y = to_range(stretched, bytes, range);
  return ops::where(ops::isnan(y), original, y);
}

void register_auto_contrast(Catalog& c) { c.add<AutoContrastLayer>("keras.layers.AutoContrast"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AutoContrastLayer, cornu::layers::AutoContrastConfig>;
