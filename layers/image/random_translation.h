// RandomTranslation: images moved at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomTranslationConfig {
  Required<Numbers> height_factor;  ///< [low, high] in [-1, 1], positive is down; f means [-f, f]
  Required<Numbers> width_factor;   ///< the same, positive is right
  std::string fill_mode = "reflect";
  std::string interpolation = "bilinear";
  std::optional<int64_t> seed = {};
  double fill_value = 0.0;
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image moved by a random share of its sides; what comes in from outside is filled as
/// ops::affine_transform does. Only in training.
class RandomTranslationLayer
    : public ImageLayerOf<RandomTranslationLayer, RandomTranslationConfig> {
 public:
  explicit RandomTranslationLayer(RandomTranslationConfig config);
  /// {"translations" (n, 2)}: pixels to the right and down.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;

 private:
  SeedGenerator& seeds_;
  std::pair<double, double> height_, width_;
};

using RandomTranslation = Ref<RandomTranslationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomTranslationLayer, layers::RandomTranslationConfig>;
}
