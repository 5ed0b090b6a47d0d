// RandomZoom: images enlarged or shrunk at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomZoom.
struct RandomZoomConfig {
  Required<Numbers> height_factor;  ///< [low, high] in (-1, 1], negative enlarges; f means [-f, f]
  /// As height_factor; none: the same zoom.
  OptionalList<Numbers> width_factor = {};
  /// Pixels from outside: "reflect", "wrap", "constant" or "nearest".
  std::string fill_mode = "reflect";
  std::string interpolation = "bilinear";  ///< how pixels are sampled: "bilinear" or "nearest"
  std::optional<int64_t> seed = {};        ///< seed of the random draws; none: one is chosen
  double fill_value = 0.0;                 ///< of pixels from outside with fill_mode "constant"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image seen in a window about its middle whose sides are 1 + factor of the image's; what is
/// outside of the image is filled as ops::affine_transform does. Only in training.
class RandomZoomLayer : public ImageLayerOf<RandomZoomLayer, RandomZoomConfig> {
 public:
  /// Throws ValueError for a factor outside of (-1, 1] or an unknown data_format; UnsupportedError
  /// for an unknown fill_mode or interpolation.
  explicit RandomZoomLayer(RandomZoomConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
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

using RandomZoom = Ref<RandomZoomLayer>;  ///< a shared RandomZoomLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomZoomLayer, layers::RandomZoomConfig>;
}
