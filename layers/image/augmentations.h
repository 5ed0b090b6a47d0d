// The layers from which RandAugment and AugMix choose.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "colors.h"

namespace cornu::layers {

/// Options that the layers have in common.
struct AugmentationOptions {
  std::vector<double> value_range;  ///< lowest and highest value of a pixel
  Numbers factor;                   ///< range of the strength, [low, high]
  std::string interpolation;        ///< how pixels are sampled: "bilinear" or "nearest"
  std::optional<int64_t> seed;      ///< seed of the random draws; none: one is chosen
  std::string data_format;          ///< position of the channel axis; or "channels_first"
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format;
  DTypePolicy dtype;  ///< dtypes of the computation
};

/// A layer, and its part that transforms.
struct Augmentation {
  std::string name;              ///< as a member of the layer that chooses, "random_shear"
  std::shared_ptr<Layer> layer;  ///< the layer itself
  ImagePreprocessing* images;    ///< the same object as one that transforms
};

/// The layers of these names, which are those of Keras's classes in snake case. Throws ValueError
/// for a name that is none of the eleven.
std::vector<Augmentation> make_augmentations(const std::vector<std::string>& names,
                                             const AugmentationOptions& options);

}  // namespace cornu::layers
