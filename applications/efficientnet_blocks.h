// What both versions of EfficientNet share: initializers, squeeze and excitation, the end of a
// block and of the network.
#pragma once
#include "network.h"

namespace cornu::applications::detail {

/// How the convolutions of EfficientNets begin: variance 2 over the outputs.
Choice<Initializer> efficientnet_kernel();

/// x times a factor for each of its channels, computed from the means of all by way of `reduced`
/// channels. `name` begins the layers' names.
Tensor squeeze_excite(const Network& net, const Tensor& x, int64_t reduced,
                      const std::string& name);

/// A 1x1 convolution without bias.
Tensor pointwise(const Network& net, const Tensor& x, int64_t filters, const std::string& name);

/// x + input; before that, while training, x is zero for a fraction drop_rate of the samples.
Tensor drop_and_add(const Network& net, Tensor x, const Tensor& input, double drop_rate,
                    const std::string& name);

/// The end of the network: pooling, dropout, classifier.
Tensor efficientnet_top(const Network& net, Tensor x, const ApplicationOptions& options,
                        double dropout_rate, Choice<Initializer> bias_initializer);

}  // namespace cornu::applications::detail
