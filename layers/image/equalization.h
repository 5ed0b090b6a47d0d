// Equalization: images in which all brightnesses are as frequent.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct EqualizationConfig {
  std::vector<double> value_range = {0, 255};
  int64_t bins = 256;
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Equalises the histogram of each channel, over all images of the batch. Only in training.
class EqualizationLayer : public ImageLayerOf<EqualizationLayer, EqualizationConfig> {
 public:
  explicit EqualizationLayer(EqualizationConfig config);
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

using Equalization = Ref<EqualizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EqualizationLayer, layers::EqualizationConfig>;
}
