// Seventeen inverted residual blocks between two convolutions.
#include "mobilenet_v2.h"

#include <fmt/core.h>

#include "../layers/activations/relu.h"
#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/depthwise_conv.h"
#include "../layers/merging/add.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::make_divisible;
using detail::Network;

// Blocks of the same filters and expansion; the first has the stride.
struct MobileNetV2Stage {
  int64_t filters, expansion, stride, blocks;
};

constexpr MobileNetV2Stage mobilenet_v2_stages[] = {{16, 1, 1, 1}, {24, 6, 2, 2}, {32, 6, 2, 3},
                                                    {64, 6, 2, 4}, {96, 6, 1, 3}, {160, 6, 2, 3},
                                                    {320, 6, 1, 1}};

struct InvertedResidual {
  std::string name;  // what its layers' names begin with
  int64_t filters, expansion, stride;
  bool expand;  // all but the first block begin with an expansion
};

Tensor normalize_v2(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(x, {.momentum = 0.999, .epsilon = 1e-3, .name = name});
}

Tensor relu6(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::ReLU>(x, {.max_value = 6.0, .name = name});
}

Tensor pointwise_v2(const Network& net, const Tensor& x, int64_t filters, const std::string& name) {
  return net.add<layers::Conv2D>(
      x,
      {.filters = filters, .kernel_size = 1, .padding = "same", .use_bias = false, .name = name});
}

Tensor inverted_residual(const Network& net, const Tensor& input, const InvertedResidual& block) {
  const auto& [name, filters, expansion, stride, expand] = block;
  Tensor x = input;
  if (expand) {
    x = pointwise_v2(net, x, expansion * net.channels(input), name + "expand");
    x = relu6(net, normalize_v2(net, x, name + "expand_BN"), name + "expand_relu");
  }
  if (stride == 2)
    x = net.add<layers::ZeroPadding2D>(x, {.padding = net.correct_pad(x, 3), .name = name + "pad"});
  x = net.add<layers::DepthwiseConv2D>(x, {.kernel_size = 3,
                                           .strides = stride,
                                           .padding = stride == 1 ? "same" : "valid",
                                           .use_bias = false,
                                           .name = name + "depthwise"});
  x = relu6(net, normalize_v2(net, x, name + "depthwise_BN"), name + "depthwise_relu");
  x = normalize_v2(net, pointwise_v2(net, x, filters, name + "project"), name + "project_BN");
  if (stride != 1 || net.channels(input) != filters) return x;
  return net.add<layers::Add>({input, x}, {.name = name + "add"});
}

Tensor mobilenet_v2_blocks(const Network& net, Tensor x, double alpha) {
  int number = 0;
  for (const auto& [filters, expansion, stride, blocks] : mobilenet_v2_stages)
    for (int64_t i = 0; i < blocks; ++i, ++number) {
      const auto wide = static_cast<int64_t>(static_cast<double>(filters) * alpha);
      x = inverted_residual(
          net, x,
          {number ? fmt::format("block_{}_", number) : "expanded_conv_",
           make_divisible(static_cast<double>(wide)), expansion, i == 0 ? stride : 1, number > 0});
    }
  return x;
}

}  // namespace

Handle<Functional> MobileNetV2(MobileNetV2Options options) {
  const double alpha = options.alpha;
  Network net({.function = "MobileNetV2"}, detail::common_options(options));
  net.expect_one_size();
  Tensor x = net.add<layers::Conv2D>(net.input(), {.filters = make_divisible(32 * alpha),
                                                   .kernel_size = 3,
                                                   .strides = 2,
                                                   .padding = "same",
                                                   .use_bias = false,
                                                   .name = "Conv1"});
  x = relu6(net, normalize_v2(net, x, "bn_Conv1"), "Conv1_relu");
  x = mobilenet_v2_blocks(net, x, alpha);
  // The last convolution may be wider, but is never narrower.
  const int64_t last = alpha > 1 ? make_divisible(1280 * alpha) : 1280;
  x = net.add<layers::Conv2D>(
      x, {.filters = last, .kernel_size = 1, .use_bias = false, .name = "Conv_1"});
  x = relu6(net, normalize_v2(net, x, "Conv_1_bn"), "out_relu");
  x = net.finish_top(x, {"", "", ""});
  return net.finish(x, fmt::format("mobilenetv2_{:.2f}_{}", alpha, net.rows()));
}

}  // namespace cornu::applications
