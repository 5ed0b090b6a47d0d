// RandomErasing: images with a rectangle painted over.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomErasing.
struct RandomErasingConfig {
  Numbers factor = 1.0;                   ///< range of the probability of a change; f: [0, f]
  Numbers scale = {0.02, 0.33};           ///< range of the area, of the image's; f means [0, f]
  OptionalList<Numbers> fill_value = {};  ///< one number, or three; none: normal noise
  /// What is painted is cut to it.
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image with a random rectangle replaced by noise or a color, as Zhong et al.,
/// https://arxiv.org/abs/1708.04896. Only in training; boxes and masks stay. Throws ValueError
/// unless fill_value is one number or three, ShapeError when its three do not fit the channels.
class RandomErasingLayer : public ImageLayerOf<RandomErasingLayer, RandomErasingConfig> {
 public:
  /// Throws ValueError for a factor or scale wholly outside of [0, 1], a value_range of other than
  /// two numbers, a fill_value of other than one number or three, or an unknown data_format.
  explicit RandomErasingLayer(RandomErasingConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  /// {"apply_erasing" (n), bool, "batch_masks", bool, one channel, "fill_value" that broadcasts to
  /// the images}. Of noise it may hold 0 where nothing is erased.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& segmentation_masks,
                                      const Transformation& transformation,
                                      bool training = true) override;

 private:
  Tensor paint(const Tensor& images, const Tensor& masks, const Tensor& chosen,
               SeedGenerator& seeds) const;

  SeedGenerator& seeds_;
};

/// A shared RandomErasingLayer, made from its options.
using RandomErasing = Ref<RandomErasingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomErasingLayer, layers::RandomErasingConfig>;
}
