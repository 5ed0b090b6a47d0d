// Solarization: images whose bright parts are inverted.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of Solarization.
struct SolarizationConfig {
  Numbers addition_factor = 0.0;   ///< range of what is added, in [0, 1]; one number f means [0, f]
  Numbers threshold_factor = 0.0;  ///< range of the threshold, in [0, 1]; one number f means [0, f]
  /// Lowest and highest value of a pixel.
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// As bytes: adds a random number to each image, and turns values x from a random threshold on into
/// 255 - x. Both are drawn for each image from [low, 255 * high). Only in training. Throws
/// ValueError for factors outside of [0, 1].
class SolarizationLayer : public ImageLayerOf<SolarizationLayer, SolarizationConfig> {
 public:
  /// Throws ValueError for a factor outside of [0, 1], a value_range of other than two numbers, or
  /// an unknown data_format.
  explicit SolarizationLayer(SolarizationConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using Solarization = Ref<SolarizationLayer>;  ///< a shared SolarizationLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SolarizationLayer, layers::SolarizationConfig>;
}
