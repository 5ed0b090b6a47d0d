// Factors of channels, samples that are left out, and four stages of blocks with them.
#include "convnext.h"

#include <fmt/core.h>

#include "../framework/initializers/constant.h"
#include "../framework/model/sequential.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/operators.h"
#include "../framework/ops/random/draws.h"
#include "../framework/ops/random/seed.h"
#include "../layers/convolutional/conv.h"
#include "../layers/normalization/layer_normalization.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/tabular/normalization.h"

namespace cornu::layers {

void LayerScaleLayer::build(const Shape&) {
  gamma = add_weight({.name = "gamma",
                      .shape = {*config.projection_dim},
                      .initializer = initializers::Constant({.value = *config.init_values})});
}

Tensor LayerScaleLayer::call(const Tensor& x, const Call&) { return x * gamma; }

StochasticDepthLayer::StochasticDepthLayer(StochasticDepthConfig c) : LayerOf(std::move(c)) {
  if (!(config.drop_path_rate >= 0 && config.drop_path_rate <= 1))
    throw ValueError(fmt::format("option 'drop_path_rate' must be in [0, 1], found {}.",
                                 *config.drop_path_rate));
  seeds_ = &add_seed_generator({});
}

Tensor StochasticDepthLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training()) return x;
  const double keep = 1 - config.drop_path_rate;
  Shape samples = {x.shape()[0]};
  for (int i = 1; i < x.rank(); ++i) samples.push_back(1);
  return x / Tensor(keep) *
         ops::floor(Tensor(keep) + random::uniform(samples, 0, 1, Seed(*seeds_)));
}

// Keras has no public names for these.
void register_convnext(Catalog& c) {
  c.add<LayerScaleLayer>("keras.src.applications.convnext.LayerScale");
  c.add<StochasticDepthLayer>("keras.src.applications.convnext.StochasticDepth");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LayerScaleLayer, cornu::layers::LayerScaleConfig>;
template class cornu::LayerOf<cornu::layers::StochasticDepthLayer,
                              cornu::layers::StochasticDepthConfig>;

namespace cornu::applications {
namespace {

using detail::Network;

struct ConvNeXtArchitecture {
  const char* function;
  const char* name;
  int blocks[4];  // of the stages
  int64_t filters[4];
};

constexpr double convnext_epsilon = 1e-6;
constexpr double layer_scale = 1e-6;  // initial value

layers::LayerNormalization convnext_norm(const std::string& name) {
  return layers::LayerNormalization({.epsilon = convnext_epsilon, .name = name});
}

// A Sequential in the network, called on x.
Tensor nested(const Tensor& x, const std::vector<AnyLayer>& layers, const std::string& name) {
  return (*make<Sequential>(layers, Sequential::Options{name}))(x);
}

Tensor convnext_stem(const Tensor& x, int64_t filters, const std::string& name) {
  return nested(
      x,
      {layers::Conv2D(
           {.filters = filters, .kernel_size = 4, .strides = 4, .name = name + "_stem_conv"}),
       convnext_norm(name + "_stem_layernorm")},
      name + "_stem");
}

Tensor downsample(const Tensor& x, int64_t filters, const std::string& name, int number) {
  return nested(x,
                {convnext_norm(fmt::format("{}_downsampling_layernorm_{}", name, number)),
                 layers::Conv2D({.filters = filters,
                                 .kernel_size = 2,
                                 .strides = 2,
                                 .name = fmt::format("{}_downsampling_conv_{}", name, number)})},
                fmt::format("{}_downsampling_block_{}", name, number));
}

Tensor convnext_block(const Network& net, const Tensor& input, const std::string& name) {
  const int64_t filters = net.channels(input);
  Tensor x = net.add<layers::Conv2D>(input, {.filters = filters,
                                             .kernel_size = 7,
                                             .padding = "same",
                                             .groups = filters,
                                             .name = name + "_depthwise_conv"});
  x = convnext_norm(name + "_layernorm")(x);
  x = net.add<layers::Dense>(x, {.units = 4 * filters, .name = name + "_pointwise_conv_1"});
  x = net.activate(x, "gelu", name + "_gelu");
  x = net.add<layers::Dense>(x, {.units = filters, .name = name + "_pointwise_conv_2"});
  x = net.add<layers::LayerScale>(
      x, {.init_values = layer_scale, .projection_dim = filters, .name = name + "_layer_scale"});
  return input + net.activate(x, "linear", name + "_identity");
}

Tensor convnext_top(const Network& net, Tensor x, const ConvNeXtOptions& options,
                    const std::string& name) {
  if (!options.include_top) return convnext_norm("")(net.pool(x, "", ""));
  x = net.add<layers::GlobalAveragePooling2D>(x, {.name = name + "_head_gap"});
  x = convnext_norm(name + "_head_layernorm")(x);
  return net.classify(x, {.units = 1, .name = name + "_head_dense"});
}

Tensor standardize(const Network& net, const Tensor& x, const std::string& name) {
  const auto scaled = [](double value) { return value * 255; };
  const auto squared = [&](double value) { return scaled(value) * scaled(value); };
  return net.add<layers::Normalization>(
      x, {.mean = std::vector<double>{scaled(0.485), scaled(0.456), scaled(0.406)},
          .variance = std::vector<double>{squared(0.229), squared(0.224), squared(0.225)},
          .name = name + "_prestem_normalization"});
}

Handle<Functional> make_convnext(const ConvNeXtArchitecture& convnext,
                                 const ConvNeXtOptions& options) {
  Network net({.function = convnext.function, .channels_first = false},
              detail::common_options(options));
  const std::string name = net.name(convnext.name);
  Tensor x = net.input();
  if (options.include_preprocessing && net.channels(x) == 3) x = standardize(net, x, name);
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t filters = convnext.filters[stage];
    x = stage == 0 ? convnext_stem(x, filters, name) : downsample(x, filters, name, stage - 1);
    for (int i = 0; i < convnext.blocks[stage]; ++i)
      x = convnext_block(net, x, fmt::format("{}_stage_{}_block_{}", name, stage, i));
  }
  return net.finish(convnext_top(net, x, options, name), name);
}

}  // namespace

Handle<Functional> ConvNeXtTiny(ConvNeXtOptions options) {
  return make_convnext({"ConvNeXtTiny", "convnext_tiny", {3, 3, 9, 3}, {96, 192, 384, 768}},
                       options);
}

Handle<Functional> ConvNeXtSmall(ConvNeXtOptions options) {
  return make_convnext({"ConvNeXtSmall", "convnext_small", {3, 3, 27, 3}, {96, 192, 384, 768}},
                       options);
}

Handle<Functional> ConvNeXtBase(ConvNeXtOptions options) {
  return make_convnext({"ConvNeXtBase", "convnext_base", {3, 3, 27, 3}, {128, 256, 512, 1024}},
                       options);
}

Handle<Functional> ConvNeXtLarge(ConvNeXtOptions options) {
  return make_convnext({"ConvNeXtLarge", "convnext_large", {3, 3, 27, 3}, {192, 384, 768, 1536}},
                       options);
}

Handle<Functional> ConvNeXtXLarge(ConvNeXtOptions options) {
  return make_convnext({"ConvNeXtXLarge", "convnext_xlarge", {3, 3, 27, 3}, {256, 512, 1024, 2048}},
                       options);
}

}  // namespace cornu::applications
