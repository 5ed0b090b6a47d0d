// A convolution, thirteen blocks of a depthwise and a 1x1 convolution, and a classifier that is a
// convolution.
#include "mobilenet.h"

#include <fmt/core.h>

#include "../layers/activations/relu.h"
#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/depthwise_conv.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/regularization/dropout.h"
#include "../layers/reshaping/reshape.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::Network;

struct MobileNetBlock {
  int64_t filters, stride;
};

constexpr MobileNetBlock mobilenet_blocks[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                               {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                               {512, 1}, {1024, 2}, {1024, 1}};

int64_t scaled(int64_t filters, double alpha) {
  return static_cast<int64_t>(static_cast<double>(filters) * alpha);
}

// Normalization and relu up to 6, named as the convolution before them.
Tensor rectify_mobilenet(const Network& net, Tensor x, const std::string& name) {
  x = net.add<layers::BatchNormalization>(x, {.name = name + "_bn"});
  return net.add<layers::ReLU>(x, {.max_value = 6.0, .name = name + "_relu"});
}

Tensor mobilenet_block(const Network& net, Tensor x, const MobileNetBlock& block, int number,
                       const MobileNetOptions& options) {
  if (block.stride != 1)
    x = net.add<layers::ZeroPadding2D>(
        x, {.padding = {{0, 1}, {0, 1}}, .name = fmt::format("conv_pad_{}", number)});
  const std::string depthwise = fmt::format("conv_dw_{}", number);
  x = net.add<layers::DepthwiseConv2D>(x, {.kernel_size = 3,
                                           .strides = block.stride,
                                           .padding = block.stride == 1 ? "same" : "valid",
                                           .depth_multiplier = options.depth_multiplier,
                                           .use_bias = false,
                                           .name = depthwise});
  x = rectify_mobilenet(net, x, depthwise);
  const std::string pointwise = fmt::format("conv_pw_{}", number);
  x = net.add<layers::Conv2D>(x, {.filters = scaled(block.filters, options.alpha),
                                  .kernel_size = 1,
                                  .padding = "same",
                                  .use_bias = false,
                                  .name = pointwise});
  return rectify_mobilenet(net, x, pointwise);
}

Tensor mobilenet_top(const Network& net, Tensor x, const MobileNetOptions& options) {
  if (!options.include_top) return net.pool(x, "", "");
  x = net.add<layers::GlobalAveragePooling2D>(x, {.keepdims = true});
  x = net.add<layers::Dropout>(x, {.rate = options.dropout, .name = "dropout"});
  x = net.add<layers::Conv2D>(
      x, {.filters = options.classes, .kernel_size = 1, .padding = "same", .name = "conv_preds"});
  x = net.add<layers::Reshape>(x, {.target_shape = Shape{options.classes}, .name = "reshape_2"});
  return net.activate(x, options.classifier_activation, "predictions");
}

}  // namespace

Handle<Functional> MobileNet(MobileNetOptions options) {
  Network net({.function = "MobileNet"}, detail::common_options(options));
  Tensor x = net.add<layers::Conv2D>(net.input(), {.filters = scaled(32, options.alpha),
                                                   .kernel_size = 3,
                                                   .strides = 2,
                                                   .padding = "same",
                                                   .use_bias = false,
                                                   .name = "conv1"});
  x = rectify_mobilenet(net, x, "conv1");
  int number = 0;
  for (const MobileNetBlock& block : mobilenet_blocks)
    x = mobilenet_block(net, x, block, ++number, options);
  x = mobilenet_top(net, x, options);
  return net.finish(x, fmt::format("mobilenet_{:.2f}_{}", options.alpha, net.rows()));
}

}  // namespace cornu::applications
