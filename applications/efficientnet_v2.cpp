// Stages of fused and plain inverted residual blocks.
#include "efficientnet_v2.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "../framework/initializers/constant.h"
#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/depthwise_conv.h"
#include "../layers/image/rescaling.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/tabular/normalization.h"
#include "efficientnet_blocks.h"

namespace cornu::applications {
namespace {

using detail::Network;

// Blocks of the same filters; the first takes filters_in and has the stride. Fused blocks have one
// 3x3 convolution in place of the expansion and the depthwise convolution; plain ones have squeeze
// and excitation.
struct EfficientNetV2Stage {
  bool fused;
  int64_t blocks, filters_in, filters_out, expansion, stride;
};

constexpr EfficientNetV2Stage base_stages[] = {
    {true, 1, 32, 16, 1, 1},  {true, 2, 16, 32, 4, 2},   {true, 2, 32, 48, 4, 2},
    {false, 3, 48, 96, 4, 2}, {false, 5, 96, 112, 6, 1}, {false, 8, 112, 192, 6, 2}};
constexpr EfficientNetV2Stage small_stages[] = {
    {true, 2, 24, 24, 1, 1},   {true, 4, 24, 48, 4, 2},    {true, 4, 48, 64, 4, 2},
    {false, 6, 64, 128, 4, 2}, {false, 9, 128, 160, 6, 1}, {false, 15, 160, 256, 6, 2}};
constexpr EfficientNetV2Stage medium_stages[] = {
    {true, 3, 24, 24, 1, 1},   {true, 5, 24, 48, 4, 2},     {true, 5, 48, 80, 4, 2},
    {false, 7, 80, 160, 4, 2}, {false, 14, 160, 176, 6, 1}, {false, 18, 176, 304, 6, 2},
    {false, 5, 304, 512, 6, 1}};
constexpr EfficientNetV2Stage large_stages[] = {
    {true, 4, 32, 32, 1, 1},    {true, 7, 32, 64, 4, 2},     {true, 7, 64, 96, 4, 2},
    {false, 10, 96, 192, 4, 2}, {false, 19, 192, 224, 6, 1}, {false, 25, 224, 384, 6, 2},
    {false, 7, 384, 640, 6, 1}};
constexpr double last_drop_rate = 0.2;  // of blocks, growing from 0
constexpr double average_momentum = 0.9;

struct EfficientNetV2Architecture {
  const char* function;
  const char* name;
  std::span<const EfficientNetV2Stage> stages;
  int64_t size;
  double width, depth;
};

struct EfficientNetV2Block {
  std::string name;  // what its layers' names begin with
  bool fused;
  int64_t filters_in, filters_out, expansion, stride;
  double drop_rate;
};

Tensor normalize_v2_block(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(
      x, {.axis = 3, .momentum = average_momentum, .name = name});
}

Tensor rectify_v2_block(const Network& net, const Tensor& x, const std::string& name) {
  return net.activate(normalize_v2_block(net, x, name + "bn"), "swish", name + "activation");
}

Tensor convolve_v2_block(const Network& net, const Tensor& x, int64_t filters, int64_t stride,
                         const std::string& name) {
  return net.add<layers::Conv2D>(x, {.filters = filters,
                                     .kernel_size = 3,
                                     .strides = stride,
                                     .padding = "same",
                                     .use_bias = false,
                                     .kernel_initializer = detail::efficientnet_kernel(),
                                     .name = name});
}

Tensor plain_block(const Network& net, Tensor x, const EfficientNetV2Block& block) {
  const std::string& name = block.name;
  x = pointwise(net, x, block.filters_in * block.expansion, name + "expand_conv");
  x = rectify_v2_block(net, x, name + "expand_");
  x = net.add<layers::DepthwiseConv2D>(x, {.kernel_size = 3,
                                           .strides = block.stride,
                                           .padding = "same",
                                           .use_bias = false,
                                           .depthwise_initializer = detail::efficientnet_kernel(),
                                           .name = name + "dwconv2"});
  x = rectify_v2_block(net, x, name);
  x = squeeze_excite(net, x, std::max<int64_t>(1, block.filters_in / 4), name);
  x = pointwise(net, x, block.filters_out, name + "project_conv");
  return normalize_v2_block(net, x, name + "project_bn");
}

// Without an expansion the one convolution projects, and its activation stands behind it.
Tensor fused_block(const Network& net, Tensor x, const EfficientNetV2Block& block) {
  const std::string& name = block.name;
  if (block.expansion == 1) {
    x = convolve_v2_block(net, x, block.filters_out, block.stride, name + "project_conv");
    return rectify_v2_block(net, x, name + "project_");
  }
  x = convolve_v2_block(net, x, block.filters_in * block.expansion, block.stride,
                        name + "expand_conv");
  x = rectify_v2_block(net, x, name + "expand_");
  x = pointwise(net, x, block.filters_out, name + "project_conv");
  return normalize_v2_block(net, x, name + "project_bn");
}

Tensor efficientnet_v2_block(const Network& net, const Tensor& input,
                             const EfficientNetV2Block& block) {
  const Tensor x = block.fused ? fused_block(net, input, block) : plain_block(net, input, block);
  if (block.stride != 1 || block.filters_in != block.filters_out) return x;
  return drop_and_add(net, x, input, block.drop_rate, block.name);
}

// To the nearest multiple of 8, down without a limit: not make_divisible.
int64_t rounded(int64_t filters, double width) {
  const double scaled = static_cast<double>(filters) * width;
  return std::max<int64_t>(8, static_cast<int64_t>(scaled + 4) / 8 * 8);
}

Tensor efficientnet_v2_body(const Network& net, Tensor x,
                            const EfficientNetV2Architecture& architecture) {
  int64_t number = 0, all = 0;
  // Keras counts the blocks before they are repeated.
  for (const auto& stage : architecture.stages) all += stage.blocks;
  char digit = '1';
  for (const auto& stage : architecture.stages) {
    const auto blocks =
        static_cast<int64_t>(std::ceil(architecture.depth * static_cast<double>(stage.blocks)));
    const int64_t out = rounded(stage.filters_out, architecture.width);
    for (int64_t i = 0; i < blocks; ++i, ++number) {
      const bool first = i == 0;
      x = efficientnet_v2_block(
          net, x,
          {fmt::format("block{}{}_", digit, static_cast<char>('a' + i)), stage.fused,
           first ? rounded(stage.filters_in, architecture.width) : out, out, stage.expansion,
           first ? stage.stride : 1,
           last_drop_rate * static_cast<double>(number) / static_cast<double>(all)});
    }
    ++digit;
  }
  x = pointwise(net, x, rounded(1280, architecture.width), "top_conv");
  return rectify_v2_block(net, x, "top_");
}

// B0 to B3 were made for standardized colors, the others for [-1, 1].
Tensor prepare_v2(const Network& net, Tensor x, bool standardized) {
  if (!standardized || net.channels(x) != 3)
    return net.add<layers::Rescaling>(x, {.scale = 1.0 / 128.0, .offset = -1.0});
  x = net.add<layers::Rescaling>(x, {.scale = 1.0 / 255});
  return net.add<layers::Normalization>(
      x, {.axis = 3,
          .mean = std::vector<double>{0.485, 0.456, 0.406},
          .variance = std::vector<double>{0.229 * 0.229, 0.224 * 0.224, 0.225 * 0.225}});
}

Handle<Functional> make_efficientnet_v2(const EfficientNetV2Architecture& architecture,
                                        const EfficientNetV2Options& options) {
  const ApplicationOptions common = detail::common_options(options);
  Network net({.function = architecture.function, .default_size = architecture.size}, common);
  Tensor x = net.input();
  if (options.include_preprocessing)
    x = prepare_v2(net, x, architecture.stages.data() == base_stages);
  const int64_t stem = rounded(architecture.stages.front().filters_in, architecture.width);
  x = rectify_v2_block(net, convolve_v2_block(net, x, stem, 2, "stem_conv"), "stem_");
  x = efficientnet_v2_body(net, x, architecture);
  x = efficientnet_top(net, x, common, 0.2, initializers::Constant({.value = 0.0}));
  return net.finish(x, architecture.name);
}

}  // namespace

Handle<Functional> EfficientNetV2B0(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2B0", "efficientnetv2-b0", base_stages, 224, 1.0, 1.0},
                              options);
}

Handle<Functional> EfficientNetV2B1(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2B1", "efficientnetv2-b1", base_stages, 240, 1.0, 1.1},
                              options);
}

Handle<Functional> EfficientNetV2B2(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2B2", "efficientnetv2-b2", base_stages, 260, 1.1, 1.2},
                              options);
}

Handle<Functional> EfficientNetV2B3(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2B3", "efficientnetv2-b3", base_stages, 300, 1.2, 1.4},
                              options);
}

Handle<Functional> EfficientNetV2S(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2S", "efficientnetv2-s", small_stages, 384, 1.0, 1.0},
                              options);
}

Handle<Functional> EfficientNetV2M(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2M", "efficientnetv2-m", medium_stages, 480, 1.0, 1.0},
                              options);
}

Handle<Functional> EfficientNetV2L(EfficientNetV2Options options) {
  return make_efficientnet_v2({"EfficientNetV2L", "efficientnetv2-l", large_stages, 480, 1.0, 1.0},
                              options);
}

}  // namespace cornu::applications
