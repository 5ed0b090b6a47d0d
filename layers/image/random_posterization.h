// RandomPosterization: images with fewer levels of brightness at random.
#pragma once
#include "../../framework/ops/integers.h"
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomPosterization.
struct RandomPosterizationConfig {
  /// [low, high) of the number of bits, from 1 to 8; two equal numbers mean that number, one number
  /// f means [1, f).
  Required<IntegerList> factor;
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Keeps, as bytes, the highest bits of each value: a random number of them for each image. Only in
/// training.
class RandomPosterizationLayer
    : public ImageLayerOf<RandomPosterizationLayer, RandomPosterizationConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [1, 8], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomPosterizationLayer(RandomPosterizationConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomPosterizationLayer, made from its options.
using RandomPosterization = Ref<RandomPosterizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomPosterizationLayer, layers::RandomPosterizationConfig>;
}
