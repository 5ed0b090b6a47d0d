// RandomPerspective: images seen from a random place.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomPerspective.
struct RandomPerspectiveConfig {
  Numbers factor = 1.0;  ///< range of the probability of a change; f means [0, f]
  double scale = 1.0;    ///< in [0, 1]: corners move by up to half of this fraction of their place
  /// How pixels are sampled: "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  double fill_value = 0.0;           ///< of pixels from outside of the image
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image with its corners moved at random, by ops::perspective_transform. Only in training.
/// Throws ValueError for a scale outside of [0, 1].
class RandomPerspectiveLayer
    : public ImageLayerOf<RandomPerspectiveLayer, RandomPerspectiveConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a scale outside of it, or an unknown
  /// data_format; UnsupportedError for an unknown interpolation.
  explicit RandomPerspectiveLayer(RandomPerspectiveConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"apply_perspective" (n), bool, "start_points", "end_points" (n, 4, 2)}: corners as (x, y).
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  /// As in Keras the results are "xyxy", whatever the format.
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomPerspectiveLayer, made from its options.
using RandomPerspective = Ref<RandomPerspectiveLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomPerspectiveLayer, layers::RandomPerspectiveConfig>;
}
