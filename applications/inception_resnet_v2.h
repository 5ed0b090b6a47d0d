// InceptionResNetV2, and the layer that Keras keeps beside the network.
#pragma once
#include "../layers/layer_options.h"
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::layers {

/// Options of CustomScaleLayer.
struct CustomScaleLayerConfig {
  Required<double> scale;  ///< factor of the second input
  CORNU_LAYER_OPTIONS;
};

/// {x, y} -> x + y * scale: a residual that is scaled, https://arxiv.org/abs/1602.07261.
class CustomScaleLayerLayer : public LayerOf<CustomScaleLayerLayer, CustomScaleLayerConfig> {
 public:
  using LayerOf::LayerOf;
  Nest call_many(const Nest& inputs, const Call&) override;
};

/// A shared CustomScaleLayerLayer, made from its options.
using CustomScaleLayer = Ref<CustomScaleLayerLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CustomScaleLayerLayer, layers::CustomScaleLayerConfig>;
}

namespace cornu::applications {

/// Inception's branches with scaled residuals around them (Szegedy et al., 2016,
/// https://arxiv.org/abs/1602.07261): images (batch, height, width, channels), 299 x 299 with the
/// top, 75 or more each way -> (batch, classes), or without the top (batch, new height, new width,
/// 1536). Throws ValueError for options that contradict each other, ShapeError for an input_shape
/// that does not fit, UnsupportedError for the weights "imagenet", and FileError for a file that
/// does not fit.
Handle<Functional> InceptionResNetV2(ApplicationOptions options = {});

/// keras.applications.inception_resnet_v2.
namespace inception_resnet_v2 {
using applications::InceptionResNetV2;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace inception_resnet_v2

}  // namespace cornu::applications
