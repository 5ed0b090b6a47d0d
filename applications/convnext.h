// ConvNeXtTiny to ConvNeXtXLarge, and the layers that Keras keeps beside the networks: LayerScale
// and StochasticDepth.
#pragma once
#include "../layers/layer_options.h"
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::layers {

/// Options of LayerScale.
struct LayerScaleConfig {
  Required<double> init_values;      ///< initial factor of every channel
  Required<int64_t> projection_dim;  ///< number of channels
  CORNU_LAYER_OPTIONS;
};

/// x (..., channels) times a learned factor for each channel, https://arxiv.org/abs/2103.17239.
class LayerScaleLayer : public LayerOf<LayerScaleLayer, LayerScaleConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable gamma;  ///< (channels)
};

using LayerScale = Ref<LayerScaleLayer>;  ///< a shared LayerScaleLayer, made from its options

/// Options of StochasticDepth.
struct StochasticDepthConfig {
  Required<double> drop_path_rate;  ///< probability that a sample is dropped
  CORNU_LAYER_OPTIONS;
};

/// While training: whole samples of x (batch, ...) become zeros at random, the others are divided
/// by the probability to stay, https://arxiv.org/abs/1603.09382.
class StochasticDepthLayer : public LayerOf<StochasticDepthLayer, StochasticDepthConfig> {
 public:
  /// Throws ValueError for a drop_path_rate outside of [0, 1].
  explicit StochasticDepthLayer(StochasticDepthConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_;
};

/// A shared StochasticDepthLayer, made from its options.
using StochasticDepth = Ref<StochasticDepthLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LayerScaleLayer, layers::LayerScaleConfig>;
extern template class LayerOf<layers::StochasticDepthLayer, layers::StochasticDepthConfig>;
}  // namespace cornu

namespace cornu::applications {

/// Options of ConvNeXt, in Keras's order.
struct ConvNeXtOptions {
  bool include_top = true;            ///< end with the classifier
  bool include_preprocessing = true;  ///< begin with the map from [0, 255] to standardized colors
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};  ///< a symbolic tensor to start from instead of an Input
  /// (height, width, channels) of one image; default: (224, 224, 3) with the top, else any.
  OptionalList<Shape> input_shape = {};
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  /// Of the model, with which all names begin; default: "convnext_tiny", ...
  std::string name = "";
  std::string data_format = "channels_last";  ///< the only one that Keras has for these networks
};

/// Convolutional networks with the habits of transformers (Liu et al., 2022,
/// https://arxiv.org/abs/2201.03545): images (batch, height, width, channels) of values in [0,
/// 255], 32 or more each way -> (batch, classes), or without the top (batch, height / 32, width /
/// 32, 768). Images of other than 3 channels are not standardized. Channels come last. Throws
/// ValueError for options that contradict each other, ShapeError for an input_shape that does not
/// fit, UnsupportedError for the weights "imagenet", and FileError for a file that does not fit.
Handle<Functional> ConvNeXtTiny(ConvNeXtOptions options = {});
/// The same with three times as many blocks in the third stage.
Handle<Functional> ConvNeXtSmall(ConvNeXtOptions options = {});
/// The same, wider; without the top 1024 channels.
Handle<Functional> ConvNeXtBase(ConvNeXtOptions options = {});
/// The same, wider; without the top 1536 channels.
Handle<Functional> ConvNeXtLarge(ConvNeXtOptions options = {});
/// The same, wider; without the top 2048 channels.
Handle<Functional> ConvNeXtXLarge(ConvNeXtOptions options = {});

/// keras.applications.convnext.
namespace convnext {
using applications::ConvNeXtBase;
using applications::ConvNeXtLarge;
using applications::ConvNeXtSmall;
using applications::ConvNeXtTiny;
using applications::ConvNeXtXLarge;
using imagenet_utils::decode_predictions;
/// x: the network prepares images itself.
inline Tensor preprocess_input(const Tensor& x, const std::string& = "channels_last") { return x; }
}  // namespace convnext

}  // namespace cornu::applications
