// RandomElasticTransform: images distorted at random, as on cloth that is pulled.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomElasticTransform.
struct RandomElasticTransformConfig {
  Numbers factor = 1.0;                    ///< range of the probability of a change; f means [0, f]
  Numbers scale = 1.0;                     ///< range of the strength, in [0, 1]; f means [0, f]
  std::string interpolation = "bilinear";  ///< how pixels are sampled: "bilinear" or "nearest"
  /// Pixels from outside: "constant", "nearest", "wrap", "mirror" or "reflect".
  std::string fill_mode = "reflect";
  double fill_value = 0.0;                     ///< of pixels from outside with fill_mode "constant"
  std::vector<double> value_range = {0, 255};  ///< results are cut to it
  std::optional<int64_t> seed = {};            ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// ops::elastic_transform of each image with one random strength s for the batch: alpha is 0.1 s of
/// the longer side, and sigma 0.05 s of the shorter. Only in training. As in Keras there must be no
/// boxes.
class RandomElasticTransformLayer
    : public ImageLayerOf<RandomElasticTransformLayer, RandomElasticTransformConfig> {
 public:
  /// Throws ValueError for a factor or scale wholly outside of [0, 1], a value_range of other than
  /// two numbers, or an unknown data_format; UnsupportedError for an unknown interpolation or
  /// fill_mode.
  explicit RandomElasticTransformLayer(RandomElasticTransformConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"apply_transform" (n), bool, "distortion_factor" ()}, and the seeds that images, and after
  /// them masks, draw their distortion with.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  /// Throws UnsupportedError.
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;

 private:
  // Images as numbers of `dtype`, cut to the range unless it is empty.
  Tensor distorted(const Tensor& images, DType dtype, const Transformation& transformation,
                   const std::string& interpolation, const std::vector<double>& value_range);

  SeedGenerator& seeds_;
};

/// A shared RandomElasticTransformLayer, made from its options.
using RandomElasticTransform = Ref<RandomElasticTransformLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomElasticTransformLayer,
                              layers::RandomElasticTransformConfig>;
}
