// RandAugment: a few changes of images, chosen at random.
#pragma once
#include "augmentations.h"

namespace cornu::layers {

struct RandAugmentConfig {
  std::vector<double> value_range = {0, 255};
  int64_t num_ops = 2;   ///< changes one after the other
  Numbers factor = 0.5;  ///< [low, high] in [0, 1] of their strength; one number
                         ///< f means [0, f]
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Applies to a batch `num_ops` of eleven random layers (shear, translation, rotation, brightness,
/// loss of color, contrast, sharpness, posterization, solarization, auto contrast, equalization),
/// chosen with repetition; each draws for every image. Only in training. Source: Cubuk et al.,
/// "RandAugment", https://arxiv.org/abs/1909.13719.
class RandAugmentLayer : public ImageLayerOf<RandAugmentLayer, RandAugmentConfig> {
 public:
  explicit RandAugmentLayer(RandAugmentConfig config);
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

using RandAugment = Ref<RandAugmentLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandAugmentLayer, layers::RandAugmentConfig>;
}
