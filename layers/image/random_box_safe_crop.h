// RandomBoxSafeCrop: random parts of images that hold all boxes, resized.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomBoxSafeCrop.
struct RandomBoxSafeCropConfig {
  Required<int64_t> height;  ///< rows of the result
  Required<int64_t> width;   ///< columns of the result
  double erosion = 0.0;      ///< in [0, 1]: how much of the boxes' common frame may be cut off
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
  std::string interpolation = "bilinear";
  bool antialias = false;            ///< average over source pixels where images shrink
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// A random part of each image that holds its boxes, resized to height x width; without boxes any
/// part. Only in training.
class RandomBoxSafeCropLayer
    : public SampleLayerOf<RandomBoxSafeCropLayer, RandomBoxSafeCropConfig> {
 public:
  /// Throws ValueError unless height and width are positive and erosion in [0, 1].
  explicit RandomBoxSafeCropLayer(RandomBoxSafeCropConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;

 protected:
  std::pair<int64_t, int64_t> output_size(int64_t, int64_t) const override {
    return {*config.height, *config.width};
  }
};

/// A shared RandomBoxSafeCropLayer, made from its options.
using RandomBoxSafeCrop = Ref<RandomBoxSafeCropLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomBoxSafeCropLayer, layers::RandomBoxSafeCropConfig>;
}
