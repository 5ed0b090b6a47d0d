// RandomContrast: images with more or less contrast at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomContrast.
struct RandomContrastConfig {
  Required<Numbers> factor;                    ///< [low, high] in [0, 1]; one number f means [0, f]
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  std::optional<int64_t> seed = {};            ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Moves the pixels of each channel away from their mean, or toward it, by a random factor in [1 -
/// low, 1 + high), and cuts off what leaves the range of values. Only in training.
class RandomContrastLayer : public ImageLayerOf<RandomContrastLayer, RandomContrastConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomContrastLayer(RandomContrastConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomContrastLayer, made from its options.
using RandomContrast = Ref<RandomContrastLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomContrastLayer, layers::RandomContrastConfig>;
}
