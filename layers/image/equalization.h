// Equalization: images in which all brightnesses are as frequent.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of Equalization.
struct EqualizationConfig {
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  int64_t bins = 256;                          ///< number of bins of a histogram
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Equalizes the histogram of each channel, over all images of the batch. Only in training. Throws
/// ValueError unless `bins` is positive.
class EqualizationLayer : public ImageLayerOf<EqualizationLayer, EqualizationConfig> {
 public:
  /// Throws ValueError for a value_range of other than two numbers, `bins` that is not positive, or
  /// an unknown data_format.
  explicit EqualizationLayer(EqualizationConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

using Equalization = Ref<EqualizationLayer>;  ///< a shared EqualizationLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EqualizationLayer, layers::EqualizationConfig>;
}
