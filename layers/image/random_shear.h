// RandomShear: images slanted at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomShearConfig {
  Numbers x_factor = 0.0;  ///< [low, high] in [0, 1] of the height; f means [-f, f]
  Numbers y_factor = 0.0;  ///< the same of the width
  std::string interpolation = "bilinear";
  std::string fill_mode = "reflect";
  double fill_value = 0.0;
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::optional<int64_t> seed = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image with its rows moved along themselves by a random share of how far down they are, and
/// its columns likewise, both to the one side or both to the other; what comes in from outside is
/// filled as ops::affine_transform does. Only in training.
class RandomShearLayer : public ImageLayerOf<RandomShearLayer, RandomShearConfig> {
 public:
  explicit RandomShearLayer(RandomShearConfig config);
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

using RandomShear = Ref<RandomShearLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomShearLayer, layers::RandomShearConfig>;
}
