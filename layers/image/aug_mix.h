// AugMix: means of images that went through random chains of changes.
#pragma once
#include "augmentations.h"

namespace cornu::layers {

/// Options of AugMix.
struct AugMixConfig {
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  int64_t num_chains = 3;                      ///< number of versions of an image that are mixed
  int64_t chain_depth = 3;                     ///< largest number of changes in a chain
  /// [low, high] in [0, 1] of their strength; one number f means [0, f].
  Numbers factor = 0.3;
  double alpha = 1.0;   ///< parameter of the distributions of the weights
  bool all_ops = true;  ///< also brightness, loss of color, contrast and sharpness
  /// How pixels are sampled: "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// A random mean of the images and of `num_chains` versions of them, each changed by up to
/// `chain_depth` random layers. Only in training; boxes stay. Of a sample that has points, boxes, a
/// mask, depth or others that lie at places of its image, no chain moves pixels (shear,
/// translation, rotation): versions that lie at different places have no common one, so chains are
/// of changes of colors alone. Which layers make a chain is chosen on the host, from the stream of
/// random::set_seed, as Keras does from Python's: a compiled function keeps the chains of its first
/// call. Source: Hendrycks et al., "AugMix", https://arxiv.org/abs/1912.02781. Throws ValueError
/// for options out of range.
class AugMixLayer : public ImageLayerOf<AugMixLayer, AugMixConfig> {
 public:
  /// Throws ValueError for a factor outside of [0, 1], a value_range of other than two numbers,
  /// num_chains or chain_depth that is not positive, or an unknown data_format; UnsupportedError
  /// for an unknown interpolation.
  explicit AugMixLayer(AugMixConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"chain_mixing_weights" (num_chains), "weight_sample" ()}, and a part for each chain with
  /// parts for its layers.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool training = true) override;

 private:
  using Change = Tensor (ImagePreprocessing::*)(const Tensor&, const Transformation&, bool);
  Tensor mixed(const Tensor& x, const Transformation& drawn, Change change);

  SeedGenerator& seeds_;
  std::vector<Augmentation> augmentations_;
};

using AugMix = Ref<AugMixLayer>;  ///< a shared AugMixLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AugMixLayer, layers::AugMixConfig>;
}
