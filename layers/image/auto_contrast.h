// AutoContrast: images stretched to the whole range of values.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of AutoContrast.
struct AutoContrastConfig {
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each channel of each image, so that its least and greatest values become the ends of the range.
/// A channel of one value stays as it is. As in Keras the least and greatest are of axes 1 and 2 of
/// (n, ...) whatever the data_format.
class AutoContrastLayer : public ImageLayerOf<AutoContrastLayer, AutoContrastConfig> {
 public:
  /// Throws ValueError for a value_range of other than two numbers, or an unknown data_format. Its
  /// two numbers are put in order.
  explicit AutoContrastLayer(AutoContrastConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

using AutoContrast = Ref<AutoContrastLayer>;  ///< a shared AutoContrastLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AutoContrastLayer, layers::AutoContrastConfig>;
}
