// A scaled residual, and forty blocks with it.
#include "inception_resnet_v2.h"

#include <fmt/core.h>

#include "../framework/ops/operators.h"
#include "../layers/convolutional/conv.h"
#include "inception_blocks.h"

namespace cornu::layers {

Nest CustomScaleLayerLayer::call_many(const Nest& inputs, const Call&) {
  if (!inputs.is_list() || inputs.size() != 2)
    throw ShapeError("expected a list of two tensors, found the structure " + inputs.structure() +
                     ".");
  return inputs[0].tensor() + inputs[1].tensor() * Tensor(*config.scale);
}

// Keras has no public name for it.
void register_inception_resnet_v2(Catalog& c) {
  c.add<CustomScaleLayerLayer>("keras.src.applications.inception_resnet_v2.CustomScaleLayer");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CustomScaleLayerLayer,
                              cornu::layers::CustomScaleLayerConfig>;

namespace cornu::applications {
namespace {

using detail::InceptionBranch;
using detail::Network;

// Blocks of one kind, which leave the shape as it is.
struct ResidualStage {
  const char* name;
  std::vector<InceptionBranch> branches;
  double scale;
  int blocks;
};

// The last block of its stage is scaled by 1, and has no activation.
struct ScaledBlock {
  std::string name;
  double scale;
  bool activate;
};

Tensor residual_block(const Network& net, const Tensor& x,
                      const std::vector<InceptionBranch>& branches, const ScaledBlock& block) {
  std::vector<Tensor> results;
  for (const InceptionBranch& branch : branches)
    results.push_back(inception_branch(net, x, branch));
  const Tensor mixed = join(net, results, block.name + "_mixed");
  const Tensor up = net.add<layers::Conv2D>(mixed, {.filters = net.channels(x),
                                                    .kernel_size = 1,
                                                    .padding = "same",
                                                    .name = block.name + "_conv"});
  const Tensor y = net.add<layers::CustomScaleLayer>({x, up}, {.scale = block.scale});
  return block.activate ? net.activate(y, "relu", block.name + "_ac") : y;
}

Tensor residual_stage(const Network& net, Tensor x, const ResidualStage& stage) {
  for (int i = 1; i <= stage.blocks; ++i)
    x = residual_block(net, x, stage.branches,
                       {fmt::format("{}_{}", stage.name, i), stage.scale, true});
  return x;
}

const std::vector<InceptionBranch>& last_branches() {
  static const std::vector<InceptionBranch> branches = {{{192, 1, 1}},
                                                        {{192, 1, 1}, {224, 1, 3}, {256, 3, 1}}};
  return branches;
}

Tensor inception_resnet_body(const Network& net, Tensor x) {
  x = inception_block(
      net, x,
      {"mixed_5b",
       {{{96, 1, 1}}, {{48, 1, 1}, {64, 5, 5}}, {{64, 1, 1}, {96, 3, 3}, {96, 3, 3}}},
       64});
  x = residual_stage(
      net, x,
      {"block35",
       {{{32, 1, 1}}, {{32, 1, 1}, {32, 3, 3}}, {{32, 1, 1}, {48, 3, 3}, {64, 3, 3}}},
       0.17,
       10});
  x = inception_block(
      net, x,
      {"mixed_6a",
       {{{384, 3, 3, 2, "valid"}}, {{256, 1, 1}, {256, 3, 3}, {384, 3, 3, 2, "valid"}}}});
  x = residual_stage(
      net, x, {"block17", {{{192, 1, 1}}, {{128, 1, 1}, {160, 1, 7}, {192, 7, 1}}}, 0.1, 20});
  x = inception_block(net, x,
                      {"mixed_7a",
                       {{{256, 1, 1}, {384, 3, 3, 2, "valid"}},
                        {{256, 1, 1}, {288, 3, 3, 2, "valid"}},
                        {{256, 1, 1}, {288, 3, 3}, {320, 3, 3, 2, "valid"}}}});
  x = residual_stage(net, x, {"block8", last_branches(), 0.2, 9});
  return residual_block(net, x, last_branches(), {"block8_10", 1.0, false});
}

}  // namespace

Handle<Functional> InceptionResNetV2(ApplicationOptions options) {
  Network net({.function = "InceptionResNetV2", .default_size = 299, .min_size = 75}, options);
  Tensor x = inception_resnet_body(net, inception_stem(net));
  x = inception_conv(net, x, {1536, 1, 1}, "conv_7b");
  x = net.finish_top(x, {"avg_pool", "", ""});
  return net.finish(x, "inception_resnet_v2");
}

}  // namespace cornu::applications
