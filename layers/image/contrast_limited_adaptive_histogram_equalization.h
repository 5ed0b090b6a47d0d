// ContrastLimitedAdaptiveHistogramEqualization: local contrasts made even.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct ContrastLimitedAdaptiveHistogramEqualizationConfig {
  std::vector<double> value_range = {0, 255};
  double clip_limit = 4.0;  ///< of a bin's count, in means of all bins; no limit unless positive
  Dims<2> tile_grid_size = {8, 8};  ///< tiles (down, across)
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Equalises the histograms of tiles of each image, cut off at a limit so that noise does not grow;
/// between the centers of tiles it is interpolated. Sizes that the tiles do not divide are padded
/// by reflection. Keeps the dtype of the images. Source: Zuiderveld, "Contrast limited adaptive
/// histogram equalization", Graphics Gems IV, 1994.
class ContrastLimitedAdaptiveHistogramEqualizationLayer
    : public ImageLayerOf<ContrastLimitedAdaptiveHistogramEqualizationLayer,
                          ContrastLimitedAdaptiveHistogramEqualizationConfig> {
 public:
  explicit ContrastLimitedAdaptiveHistogramEqualizationLayer(
      ContrastLimitedAdaptiveHistogramEqualizationConfig config);
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

using ContrastLimitedAdaptiveHistogramEqualization =
    Ref<ContrastLimitedAdaptiveHistogramEqualizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ContrastLimitedAdaptiveHistogramEqualizationLayer,
                              layers::ContrastLimitedAdaptiveHistogramEqualizationConfig>;
}
