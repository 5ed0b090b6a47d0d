// RandomFlip: images mirrored at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomFlip.
struct RandomFlipConfig {
  /// "horizontal", "vertical" or "horizontal_and_vertical".
  std::string mode = "horizontal_and_vertical";
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image mirrored with probability 1/2: left and right ("horizontal"), top and bottom
/// ("vertical"), or both. Only in training. Throws ValueError for an unknown mode.
class RandomFlipLayer : public ImageLayerOf<RandomFlipLayer, RandomFlipConfig> {
 public:
  /// Throws ValueError for an unknown mode, with a did-you-mean, or an unknown data_format.
  explicit RandomFlipLayer(RandomFlipConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"flips": (n, 1, 1, 1) or (1, 1, 1), bool}.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;
  /// As images: in the compute dtype.
  Tensor transform_segmentation_masks(const Tensor& segmentation_masks,
                                      const Transformation& transformation,
                                      bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;

 private:
  bool horizontal() const { return config.mode != "vertical"; }
  bool vertical() const { return config.mode != "horizontal"; }

  SeedGenerator& seeds_;
};

using RandomFlip = Ref<RandomFlipLayer>;  ///< a shared RandomFlipLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomFlipLayer, layers::RandomFlipConfig>;
}
