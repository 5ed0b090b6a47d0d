// ResNet50 to ResNet152V2: residual networks for images, as Keras names and builds them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

using ResNetOptions = ApplicationOptions;  ///< options of the residual networks

/// Deep residual networks with bottlenecks (He et al., 2015, https://arxiv.org/abs/1512.03385), the
/// stride in the first 1x1 convolution of a block: images (batch, height, width, channels), 224 x
/// 224 with the top, 32 or more each way -> (batch, classes), or without the top (batch,
/// ceil(height / 32), ceil(width / 32), 2048), pooled to (batch, 2048) if asked. Layers are named
/// as in Keras, so weights can be exchanged both ways. Throws ValueError for options that
/// contradict each other, ShapeError for an input_shape that does not fit, UnsupportedError for the
/// weights "imagenet", and FileError for a file that does not fit.
///
///   auto model = applications::ResNet50({.weights = {}});
///   model->compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
Handle<Functional> ResNet50(ResNetOptions options = {});
/// The same design with 101 layers: 3, 4, 23 and 3 blocks.
Handle<Functional> ResNet101(ResNetOptions options = {});
/// The same design with 152 layers: 3, 8, 36 and 3 blocks.
Handle<Functional> ResNet152(ResNetOptions options = {});

/// Residual networks that normalize and rectify before the convolutions of a block, so that the
/// shortcuts run through unchanged (He et al., 2016, https://arxiv.org/abs/1603.05027), the stride
/// in the last block of a stack. Shapes and errors are ResNet50's.
Handle<Functional> ResNet50V2(ResNetOptions options = {});
/// The same design with 101 layers: 3, 4, 23 and 3 blocks.
Handle<Functional> ResNet101V2(ResNetOptions options = {});
/// The same design with 152 layers: 3, 8, 36 and 3 blocks.
Handle<Functional> ResNet152V2(ResNetOptions options = {});

/// keras.applications.resnet.
namespace resnet {
using applications::ResNet101;
using applications::ResNet152;
using applications::ResNet50;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "caffe".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
}  // namespace resnet

/// keras.applications.resnet50.
namespace resnet50 {
using applications::ResNet50;
using imagenet_utils::decode_predictions;
using resnet::preprocess_input;
}  // namespace resnet50

/// keras.applications.resnet_v2.
namespace resnet_v2 {
using applications::ResNet101V2;
using applications::ResNet152V2;
using applications::ResNet50V2;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace resnet_v2

}  // namespace cornu::applications
