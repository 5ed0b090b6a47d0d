// RandomResizedCrop: random parts of images, resized.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomResizedCrop.
struct RandomResizedCropConfig {
  Required<int64_t> height;                        ///< rows of the result
  Required<int64_t> width;                         ///< columns of the result
  Numbers scale = {0.08, 1.0};                     ///< range of the part's area, of the image's
  std::vector<double> ratio = {3.0 / 4, 4.0 / 3};  ///< range of its width to its height
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
  std::string interpolation = "bilinear";
  bool antialias = false;            ///< average over source pixels where images shrink
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// A part of random area and ratio of the sides of each image, resized to height x width, as the
/// Inception network was trained (https://arxiv.org/abs/1409.4842). Only in training; otherwise the
/// whole image resized.
class RandomResizedCropLayer
    : public SampleLayerOf<RandomResizedCropLayer, RandomResizedCropConfig> {
 public:
  /// Throws ValueError unless height and width are positive and scale and ratio in order.
  explicit RandomResizedCropLayer(RandomResizedCropConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;

 protected:
  std::pair<int64_t, int64_t> output_size(int64_t, int64_t) const override {
    return {*config.height, *config.width};
  }
};

/// A shared RandomResizedCropLayer, made from its options.
using RandomResizedCrop = Ref<RandomResizedCropLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomResizedCropLayer, layers::RandomResizedCropConfig>;
}
