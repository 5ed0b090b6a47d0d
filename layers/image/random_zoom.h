// RandomZoom: images enlarged or shrunk at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomZoomConfig {
  Required<Numbers> height_factor;  ///< [low, high] in (-1, 1], negative enlarges; f means [-f, f]
  std::optional<Numbers> width_factor = {};  ///< the same; none: as the height
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

/// Each image seen in a window about its middle whose sides are 1 + factor of the image's; what is
/// outside of the image is filled as ops::affine_transform does. Only in training.
class RandomZoomLayer : public ImageLayerOf<RandomZoomLayer, RandomZoomConfig> {
 public:
  explicit RandomZoomLayer(RandomZoomConfig config);
  /// {"height_zoom", "width_zoom"}, each (n, 1).
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

using RandomZoom = Ref<RandomZoomLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomZoomLayer, layers::RandomZoomConfig>;
}
