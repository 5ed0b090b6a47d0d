// VGG16 and VGG19: stacks of 3x3 convolutions for images, as Keras names and builds them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Plain stacks of 3x3 convolutions (Simonyan and Zisserman, 2014,
/// https://arxiv.org/abs/1409.1556): images (batch, height, width, channels), 224 x 224 with the
/// top, 32 or more each way -> (batch, classes), or without the top (batch, height / 32, width /
/// 32, 512). Throws ValueError for options that contradict each other, ShapeError for an
/// input_shape that does not fit, UnsupportedError for the weights "imagenet", and FileError for a
/// file that does not fit.
Handle<Functional> VGG16(ApplicationOptions options = {});
/// The same with 16 convolutions instead of 13.
Handle<Functional> VGG19(ApplicationOptions options = {});

/// keras.applications.vgg16.
namespace vgg16 {
using applications::VGG16;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "caffe".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
}  // namespace vgg16

/// keras.applications.vgg19.
namespace vgg19 {
using applications::VGG19;
using imagenet_utils::decode_predictions;
using vgg16::preprocess_input;
}  // namespace vgg19

}  // namespace cornu::applications
