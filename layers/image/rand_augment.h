// RandAugment: a few changes of images, chosen at random.
#pragma once
#include "augmentations.h"

namespace cornu::layers {

/// Options of RandAugment.
struct RandAugmentConfig {
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  int64_t num_ops = 2;                         ///< number of changes, one after the other
  /// [low, high] in [0, 1] of their strength; one number f means [0, f].
  Numbers factor = 0.5;
  std::string interpolation = "bilinear";  ///< how pixels are sampled: "bilinear" or "nearest"
  std::optional<int64_t> seed = {};        ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Applies to a batch `num_ops` of eleven random layers (shear, translation, rotation, brightness,
/// loss of color, contrast, sharpness, posterization, solarization, auto contrast, equalization),
/// chosen with repetition; each draws for every image. Only in training. Source: Cubuk et al.,
/// "RandAugment", https://arxiv.org/abs/1909.13719. Throws ValueError for a negative num_ops.
class RandAugmentLayer : public ImageLayerOf<RandAugmentLayer, RandAugmentConfig> {
 public:
  /// Throws ValueError for a factor outside of [0, 1], a value_range of other than two numbers, a
  /// negative num_ops, or an unknown data_format; UnsupportedError for an unknown interpolation.
  explicit RandAugmentLayer(RandAugmentConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"layer_idxes" (num_ops)}, and a part for each layer.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
  /// As in Keras each chosen layer counts once, in the order above.
  Nest transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool training = true) override;

 private:
  SeedGenerator& seeds_;
  std::vector<Augmentation> augmentations_;
};

using RandAugment = Ref<RandAugmentLayer>;  ///< a shared RandAugmentLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandAugmentLayer, layers::RandAugmentConfig>;
}
