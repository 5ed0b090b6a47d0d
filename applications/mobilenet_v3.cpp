// Tables of inverted residual blocks, with squeeze and excitation in some.
#include "mobilenet_v3.h"

#include <fmt/core.h>

#include <span>

#include "../framework/ops/operators.h"
#include "../layers/activations/relu.h"
#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/depthwise_conv.h"
#include "../layers/image/rescaling.h"
#include "../layers/merging/add.h"
#include "../layers/merging/multiply.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/regularization/dropout.h"
#include "../layers/reshaping/flatten.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::make_divisible;
using detail::Network;

// `large` kernels are 5x5, `squeeze` blocks have squeeze and excitation, `swish` ones hard_swish;
// minimalistic networks have none of these.
struct MobileNetV3Block {
  double expansion;
  int64_t filters, stride;
  bool large, squeeze, swish;
};

constexpr MobileNetV3Block small_blocks[] = {{1, 16, 2, false, true, false},
                                             {72.0 / 16, 24, 2, false, false, false},
                                             {88.0 / 24, 24, 1, false, false, false},
                                             {4, 40, 2, true, true, true},
                                             {6, 40, 1, true, true, true},
                                             {6, 40, 1, true, true, true},
                                             {3, 48, 1, true, true, true},
                                             {3, 48, 1, true, true, true},
                                             {6, 96, 2, true, true, true},
                                             {6, 96, 1, true, true, true},
                                             {6, 96, 1, true, true, true}};

constexpr MobileNetV3Block large_blocks[] = {
    {1, 16, 1, false, false, false},  {4, 24, 2, false, false, false},
    {3, 24, 1, false, false, false},  {3, 40, 2, true, true, false},
    {3, 40, 1, true, true, false},    {3, 40, 1, true, true, false},
    {6, 80, 2, false, false, true},   {2.5, 80, 1, false, false, true},
    {2.3, 80, 1, false, false, true}, {2.3, 80, 1, false, false, true},
    {6, 112, 1, false, true, true},   {6, 112, 1, false, true, true},
    {6, 160, 2, true, true, true},    {6, 160, 1, true, true, true},
    {6, 160, 1, true, true, true}};

struct MobileNetV3Architecture {
  const char* function;
  std::span<const MobileNetV3Block> blocks;
  int64_t last_filters;  // between pooling and classifier
};

int64_t divisible(int64_t filters, double factor) {
  return make_divisible(static_cast<double>(filters) * factor);
}

Tensor normalize_v3(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(x, {.momentum = 0.999, .epsilon = 1e-3, .name = name});
}

Tensor activate_v3(const Network& net, const Tensor& x, bool swish) {
  return swish ? net.activate(x, "hard_swish") : net.add<layers::ReLU>(x, {});
}

Tensor convolve_v3(const Network& net, const Tensor& x, int64_t filters, const std::string& name,
                   bool use_bias = false) {
  return net.add<layers::Conv2D>(x, {.filters = filters,
                                     .kernel_size = 1,
                                     .padding = "same",
                                     .use_bias = use_bias,
                                     .name = name});
}

// x times a factor for each of its channels, computed from the means of all.
Tensor squeeze_and_excite(const Network& net, const Tensor& input, const std::string& name) {
  const int64_t filters = net.channels(input);
  Tensor x = net.add<layers::GlobalAveragePooling2D>(
      input, {.keepdims = true, .name = name + "squeeze_excite_avg_pool"});
  x = convolve_v3(net, x, divisible(filters, 0.25), name + "squeeze_excite_conv", true);
  x = net.add<layers::ReLU>(x, {.name = name + "squeeze_excite_relu"});
  x = convolve_v3(net, x, filters, name + "squeeze_excite_conv_1", true);
  x = net.add<layers::ReLU>(x + 3.0, {.max_value = 6.0}) * (1.0 / 6.0);
  return net.add<layers::Multiply>({input, x}, {.name = name + "squeeze_excite_mul"});
}

Tensor depthwise_v3(const Network& net, Tensor x, const MobileNetV3Block& block,
                    const std::string& name) {
  const int64_t kernel = block.large ? 5 : 3;
  if (block.stride == 2)
    x = net.add<layers::ZeroPadding2D>(
        x, {.padding = net.correct_pad(x, kernel), .name = name + "depthwise_pad"});
  x = net.add<layers::DepthwiseConv2D>(x, {.kernel_size = kernel,
                                           .strides = block.stride,
                                           .padding = block.stride == 1 ? "same" : "valid",
                                           .use_bias = false,
                                           .name = name + "depthwise"});
  return normalize_v3(net, x, name + "depthwise_bn");
}

Tensor mobilenet_v3_block(const Network& net, const Tensor& input, const MobileNetV3Block& block,
                          int number) {
  const std::string name =
      number ? fmt::format("expanded_conv_{}_", number) : std::string("expanded_conv_");
  Tensor x = input;
  if (number) {
    x = convolve_v3(net, x, divisible(net.channels(input), block.expansion), name + "expand");
    x = activate_v3(net, normalize_v3(net, x, name + "expand_bn"), block.swish);
  }
  x = activate_v3(net, depthwise_v3(net, x, block, name), block.swish);
  if (block.squeeze) x = squeeze_and_excite(net, x, name);
  x = convolve_v3(net, x, block.filters, name + "project");
  x = normalize_v3(net, x, name + "project_bn");
  if (block.stride != 1 || net.channels(input) != block.filters) return x;
  return net.add<layers::Add>({input, x}, {.name = name + "add"});
}

MobileNetV3Block adapted(MobileNetV3Block block, const MobileNetV3Options& options) {
  block.filters = divisible(block.filters, options.alpha);
  if (options.minimalistic) block.large = block.squeeze = block.swish = false;
  return block;
}

Tensor mobilenet_v3_top(const Network& net, Tensor x, int64_t filters,
                        const MobileNetV3Options& options) {
  if (!options.include_top) return net.pool(x, "avg_pool", "max_pool");
  x = net.add<layers::GlobalAveragePooling2D>(x, {.keepdims = true});
  x = activate_v3(net, convolve_v3(net, x, filters, "conv_2", true), !options.minimalistic);
  if (options.dropout_rate > 0) x = net.add<layers::Dropout>(x, {.rate = options.dropout_rate});
  x = net.add<layers::Flatten>(convolve_v3(net, x, options.classes, "logits", true), {});
  return net.activate(x, options.classifier_activation, "predictions");
}

Handle<Functional> make_mobilenet_v3(const MobileNetV3Architecture& architecture,
                                     const MobileNetV3Options& options) {
  Network net({.function = architecture.function, .sized_top = false},
              detail::common_options(options));
  net.expect_one_size();
  Tensor x = net.input();
  if (options.include_preprocessing)
    x = net.add<layers::Rescaling>(x, {.scale = 1.0 / 127.5, .offset = -1.0});
  x = net.add<layers::Conv2D>(x, {.filters = 16,
                                  .kernel_size = 3,
                                  .strides = 2,
                                  .padding = "same",
                                  .use_bias = false,
                                  .name = "conv"});
  x = activate_v3(net, normalize_v3(net, x, "conv_bn"), !options.minimalistic);
  int number = 0;
  for (const MobileNetV3Block& block : architecture.blocks)
    x = mobilenet_v3_block(net, x, adapted(block, options), number++);
  x = convolve_v3(net, x, divisible(net.channels(x), 6), "conv_1");
  x = activate_v3(net, normalize_v3(net, x, "conv_1_bn"), !options.minimalistic);
  // The last convolution may be wider, but is never narrower.
  const int64_t last = options.alpha > 1 ? divisible(architecture.last_filters, options.alpha)
                                         : architecture.last_filters;
  x = mobilenet_v3_top(net, x, last, options);
  return net.finish(x, architecture.function);
}

}  // namespace

Handle<Functional> MobileNetV3Small(MobileNetV3Options options) {
  return make_mobilenet_v3({"MobileNetV3Small", small_blocks, 1024}, options);
}

Handle<Functional> MobileNetV3Large(MobileNetV3Options options) {
  return make_mobilenet_v3({"MobileNetV3Large", large_blocks, 1280}, options);
}

}  // namespace cornu::applications
