// AutoContrast: images stretched to the whole range of values.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct AutoContrastConfig {
  std::vector<double> value_range = {0, 255};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each channel of each image, so that its least and greatest values become the ends of the range.
/// A channel of one value stays as it is. As in Keras the least and greatest are of axes 1 and 2 of
/// (n, ...) whatever the data_format.
class AutoContrastLayer : public ImageLayerOf<AutoContrastLayer, AutoContrastConfig> {
 public:
  explicit AutoContrastLayer(AutoContrastConfig config);
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

using AutoContrast = Ref<AutoContrastLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AutoContrastLayer, layers::AutoContrastConfig>;
}
