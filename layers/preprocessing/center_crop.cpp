// The middle of images.
#include "center_crop.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/image.h"

namespace cornu::layers {

CenterCropLayer::CenterCropLayer(CenterCropConfig c) : LayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
  channels_first(config.data_format);
}

std::shared_ptr<CenterCropLayer> CenterCropLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor CenterCropLayer::call(const Tensor& given, const Call&) {
  detail::check_images(given, "CenterCrop");
  const Tensor x = ops::cast(given, compute_dtype());
  const int64_t height = *config.height, width = *config.width;
  const int rows = channels_first(config.data_format) ? -2 : -3;
  const int64_t above = x.shape(rows) - height, beside = x.shape(rows + 1) - width;
  if (above < 0 || beside < 0)
    return ops::resize(x, {height, width}, "bilinear", false, true, false, "constant", 0,
                       config.data_format);
  return ops::crop_images(x, above / 2, beside / 2, {}, {}, height, width, config.data_format);
}

void register_center_crop(Catalog& c) { c.add<CenterCropLayer>("keras.layers.CenterCrop"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CenterCropLayer, cornu::layers::CenterCropConfig>;
