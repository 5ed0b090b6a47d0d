// InceptionV3: blocks of branches with convolutions of different sizes, as Keras names and builds
// it.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Branches of 1x1 to 7x7 convolutions side by side, large ones factored into rows and columns
/// (Szegedy et al., 2015, https://arxiv.org/abs/1512.00567): images (batch, height, width,
/// channels), 299 x 299 with the top, 75 or more each way -> (batch, classes), or without the top
/// (batch, new height, new width, 2048). Throws ValueError for options that contradict each other,
/// ShapeError for an input_shape that does not fit, UnsupportedError for the weights "imagenet",
/// and FileError for a file that does not fit.
Handle<Functional> InceptionV3(ApplicationOptions options = {});

/// keras.applications.inception_v3.
namespace inception_v3 {
using applications::InceptionV3;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace inception_v3

}  // namespace cornu::applications
