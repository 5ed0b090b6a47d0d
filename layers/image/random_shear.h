// RandomShear: images slanted at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomShear.
struct RandomShearConfig {
  Numbers x_factor = 0.0;                  ///< [low, high] in [0, 1] of the height; f means [-f, f]
  Numbers y_factor = 0.0;                  ///< [low, high] in [0, 1] of the width; f means [-f, f]
  std::string interpolation = "bilinear";  ///< how pixels are sampled: "bilinear" or "nearest"
  /// Pixels from outside: "reflect", "wrap", "constant" or "nearest".
  std::string fill_mode = "reflect";
  double fill_value = 0.0;  ///< of pixels from outside with fill_mode "constant"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// Each image with its rows moved along themselves by a random fraction of how far down they are,
/// and its columns likewise, both to the one side or both to the other; what comes in from outside
/// is filled as ops::affine_transform does. Only in training.
class RandomShearLayer : public ImageLayerOf<RandomShearLayer, RandomShearConfig> {
 public:
  /// Throws ValueError for a factor outside of [0, 1] or an unknown data_format; UnsupportedError
  /// for an unknown fill_mode or interpolation.
  explicit RandomShearLayer(RandomShearConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// Takes also [-f, f], which Keras writes for a single number.
  static std::shared_ptr<RandomShearLayer> from_config(const Value::Dict& dict);
  /// {"shear_factor" (n, 2)}: of x and y.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;

 private:
  SeedGenerator& seeds_;
  std::pair<double, double> x_, y_;
};

using RandomShear = Ref<RandomShearLayer>;  ///< a shared RandomShearLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomShearLayer, layers::RandomShearConfig>;
}
