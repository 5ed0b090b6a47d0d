// Xception: depthwise separable convolutions with shortcuts, as Keras names and builds it.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Inception taken to its extreme, where each channel is convolved alone (Chollet, 2016,
/// https://arxiv.org/abs/1610.02357): images (batch, height, width, channels), 299 x 299 with the
/// top, 71 or more each way -> (batch, classes), or without the top (batch, new height, new width,
/// 2048). Throws ValueError for options that contradict each other, ShapeError for an input_shape
/// that does not fit, UnsupportedError for the weights "imagenet", and FileError for a file that
/// does not fit.
Handle<Functional> Xception(ApplicationOptions options = {});

/// keras.applications.xception.
namespace xception {
using applications::Xception;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace xception

}  // namespace cornu::applications
