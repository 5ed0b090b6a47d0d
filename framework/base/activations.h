// keras.activations: the functions that layers apply to their results, for direct calls.
#pragma once
#include "../ops/elementwise.h"
#include "../ops/nn/activations.h"
#include "../ops/nn/softmax.h"
#include "activation.h"

namespace cornu::activations {

using ops::celu;
using ops::elu;
using ops::glu;
using ops::hard_shrink;
using ops::hard_sigmoid;
using ops::hard_silu;
using ops::hard_swish;
using ops::hard_tanh;
using ops::leaky_relu;
using ops::linear;
using ops::log_sigmoid;
using ops::log_softmax;
using ops::mish;
using ops::relu6;
using ops::selu;
using ops::sigmoid;
using ops::silu;
using ops::soft_shrink;
using ops::softmax;
using ops::softplus;
using ops::softsign;
using ops::sparse_plus;
using ops::sparse_sigmoid;
using ops::sparsemax;
using ops::squareplus;
using ops::swish;
using ops::tanh;
using ops::tanh_shrink;
using ops::threshold;

/// x limited to max_value where it is at least `threshold`, else negative_slope * (x - threshold).
inline Tensor relu(const Tensor& x, double negative_slope = 0, std::optional<double> max_value = {},
                   double threshold = 0) {
  return ops::relu_activation(x, negative_slope, max_value, threshold);
}
/// x times the standard normal's distribution function at x, https://arxiv.org/abs/1606.08415. As
/// an activation it is exact by default, as an op approximate.
inline Tensor gelu(const Tensor& x, bool approximate = false) {
  return ops::gelu_activation(x, approximate);
}
/// e to the power of x.
inline Tensor exponential(const Tensor& x) { return ops::exp(x); }

/// The activation of this name, or this one; without one the identity. Throws ValueError with a
/// did-you-mean.
inline Activation get(const Activation& identifier = {}) { return identifier; }
/// The activation that serialize described. Throws ValueError.
template <class V>
requires(std::same_as<V, Value> || std::same_as<V, Value::Dict>) Activation get(const V& config) {
  return detail::OptionCodec<Activation>::decode(config);
}
/// The activation as files hold it: its name, for functions of Keras. Throws StateError for a
/// function without a name.
inline Value serialize(const Activation& activation) {
  return detail::OptionCodec<Activation>::encode(activation);
}
/// The activation that serialize described. Throws ValueError.
inline Activation deserialize(const Value& config) {
  return detail::OptionCodec<Activation>::decode(config);
}

}  // namespace cornu::activations
