// Pieces of EfficientNets.
#include "efficientnet_blocks.h"

#include "../framework/initializers/variance_scaling.h"
#include "../layers/convolutional/conv.h"
#include "../layers/merging/add.h"
#include "../layers/merging/multiply.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/regularization/dropout.h"
#include "../layers/reshaping/reshape.h"

namespace cornu::applications::detail {

Choice<Initializer> efficientnet_kernel() {
  return initializers::VarianceScaling(
      {.scale = 2.0, .mode = "fan_out", .distribution = "truncated_normal"});
}

Tensor squeeze_excite(const Network& net, const Tensor& input, int64_t reduced,
                      const std::string& name) {
  const int64_t filters = net.channels(input);
  Tensor x = net.add<layers::GlobalAveragePooling2D>(input, {.name = name + "se_squeeze"});
  x = net.add<layers::Reshape>(
      x, {.target_shape = net.pixel_shape(filters), .name = name + "se_reshape"});
  x = net.add<layers::Conv2D>(x, {.filters = reduced,
                                  .kernel_size = 1,
                                  .padding = "same",
                                  .activation = "swish",
                                  .kernel_initializer = efficientnet_kernel(),
                                  .name = name + "se_reduce"});
  x = net.add<layers::Conv2D>(x, {.filters = filters,
                                  .kernel_size = 1,
                                  .padding = "same",
                                  .activation = "sigmoid",
                                  .kernel_initializer = efficientnet_kernel(),
                                  .name = name + "se_expand"});
  return net.add<layers::Multiply>({input, x}, {.name = name + "se_excite"});
}

Tensor pointwise(const Network& net, const Tensor& x, int64_t filters, const std::string& name) {
  return net.add<layers::Conv2D>(x, {.filters = filters,
                                     .kernel_size = 1,
                                     .padding = "same",
                                     .use_bias = false,
                                     .kernel_initializer = efficientnet_kernel(),
                                     .name = name});
}

Tensor drop_and_add(const Network& net, Tensor x, const Tensor& input, double drop_rate,
                    const std::string& name) {
  if (drop_rate > 0)
    x = net.add<layers::Dropout>(
        x,
        {.rate = drop_rate, .noise_shape = Shape{Shape::unknown, 1, 1, 1}, .name = name + "drop"});
  return net.add<layers::Add>({x, input}, {.name = name + "add"});
}

Tensor efficientnet_top(const Network& net, Tensor x, const ApplicationOptions& options,
                        double dropout_rate, Choice<Initializer> bias_initializer) {
  if (!options.include_top) return net.pool(x, "avg_pool", "max_pool");
  x = net.add<layers::GlobalAveragePooling2D>(x, {.name = "avg_pool"});
  x = net.add<layers::Dropout>(x, {.rate = dropout_rate, .name = "top_dropout"});
  return net.classify(x, {.units = 1,
                          .kernel_initializer = initializers::VarianceScaling(
                              {.scale = 1.0 / 3.0, .mode = "fan_out", .distribution = "uniform"}),
                          .bias_initializer = std::move(bias_initializer)});
}

}  // namespace cornu::applications::detail
