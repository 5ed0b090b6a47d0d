// RandomHue: images whose colors are turned at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomHue.
struct RandomHueConfig {
  Required<Numbers> factor;                    ///< [low, high] in [0, 1]; one number f means [0, f]
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Turns the hue of each image by a random fraction of half the circle, to either side. Only in
/// training.
class RandomHueLayer : public ImageLayerOf<RandomHueLayer, RandomHueConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomHueLayer(RandomHueConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomHue = Ref<RandomHueLayer>;  ///< a shared RandomHueLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomHueLayer, layers::RandomHueConfig>;
}
