// ResNet50, ResNet101 and ResNet152: residual networks for images, as Keras names and builds them.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "../framework/model/functional.h"

namespace cornu::applications {

/// Options of the residual networks, in Keras's order.
struct ResNetOptions {
  bool include_top = true;  ///< end with the classifier
  /// {}: weights are random; else the path of a ".weights.h5" or ".keras" file. The default is
  /// Keras's, for which nothing is downloaded here: the error says how to come by the file.
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};  ///< a symbolic tensor to start from instead of an Input
  /// (height, width, channels) of one image, 32 or more each way; default: (224, 224, 3), or
  /// without the top images of any size.
  std::optional<Shape> input_shape = {};
  std::optional<std::string> pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;                   ///< number of classes, with the top
  /// {}: logits.
  cornu::Activation classifier_activation = "softmax";
  std::string name = "";  ///< name of the model; default: "resnet50", ...
};

/// Deep residual networks with bottlenecks (He et al., 2015, https://arxiv.org/abs/1512.03385), the
/// stride in the first 1x1 convolution of a block: images (batch, height, width, channels) ->
/// (batch, classes), or without the top (batch, ceil(height / 32), ceil(width / 32), 2048), pooled
/// to (batch, 2048) if asked. Layers are named as in Keras, so weights can be exchanged both ways.
/// Throws ValueError for options that contradict each other, UnsupportedError for the weights
/// "imagenet", and FileError for a file that does not fit.
///
///   auto model = applications::ResNet50({.weights = {}});
///   model->compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
std::shared_ptr<Functional> ResNet50(ResNetOptions options = {});
/// The same design with 101 layers: 3, 4, 23 and 3 blocks.
std::shared_ptr<Functional> ResNet101(ResNetOptions options = {});
/// The same design with 152 layers: 3, 8, 36 and 3 blocks.
std::shared_ptr<Functional> ResNet152(ResNetOptions options = {});

}  // namespace cornu::applications
