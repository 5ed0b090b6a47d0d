// Images of another size.
#include "resizing.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/image.h"

namespace cornu::layers {

ResizingLayer::ResizingLayer(ResizingConfig c) : LayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
  channels_first(config.data_format);
}

std::shared_ptr<ResizingLayer> ResizingLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor ResizingLayer::call(const Tensor& x, const Call&) {
  return ops::resize(ops::cast(x, compute_dtype()), {*config.height, *config.width},
                     config.interpolation, config.antialias, config.crop_to_aspect_ratio,
                     config.pad_to_aspect_ratio, config.fill_mode, config.fill_value,
                     config.data_format);
}

void register_resizing(Catalog& c) { c.add<ResizingLayer>("keras.layers.Resizing"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ResizingLayer, cornu::layers::ResizingConfig>;
