// RandomColorJitter: images with other brightness, contrast, saturation and hue
// at random.
#pragma once
#include "random_brightness.h"
#include "random_contrast.h"
#include "random_hue.h"
#include "random_saturation.h"

namespace cornu::layers {

/// Options of RandomColorJitter.
struct RandomColorJitterConfig {
  std::vector<double> value_range = {0, 255};    ///< lowest and highest value of a pixel
  OptionalList<Numbers> brightness_factor = {};  ///< as of RandomBrightness; none: unchanged
  OptionalList<Numbers> contrast_factor = {};    ///< as of RandomContrast
  OptionalList<Numbers> saturation_factor = {};  ///< as of RandomSaturation
  OptionalList<Numbers> hue_factor = {};         ///< as of RandomHue
  std::optional<int64_t> seed = {};              ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// RandomBrightness, RandomContrast, RandomSaturation and RandomHue, in this order, as far as their
/// factors are given. As in Keras contrast, saturation and hue take channels to be last whatever
/// the data_format. Only in training.
class RandomColorJitterLayer
    : public ImageLayerOf<RandomColorJitterLayer, RandomColorJitterConfig> {
 public:
  /// Makes the layers whose factors are given, with the same value_range and seed. Throws what
  /// their constructors throw, and ValueError for an unknown data_format.
  explicit RandomColorJitterLayer(RandomColorJitterConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// Draws here, after what the layers before have done to the images.
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

  RandomBrightness random_brightness = nullptr;  ///< null without a brightness_factor
  RandomContrast random_contrast = nullptr;      ///< null without a contrast_factor
  RandomSaturation random_saturation = nullptr;  ///< null without a saturation_factor
  RandomHue random_hue = nullptr;                ///< null without a hue_factor

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomColorJitterLayer, made from its options.
using RandomColorJitter = Ref<RandomColorJitterLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomColorJitterLayer, layers::RandomColorJitterConfig>;
}
