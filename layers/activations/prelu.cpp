// The rectifier with a learned slope.
#include "prelu.h"

#include <fmt/core.h>

#include "../../framework/ops/elementwise.h"

namespace cornu::layers {

PReLULayer::PReLULayer(PReLUConfig c) : LayerOf(std::move(c)) { supports_masking_ = true; }

void PReLULayer::build(const Shape& input) {
  check_min_rank(input, 2);
  Shape shape = input.slice(1, input.rank());
  for (int64_t axis : config.shared_axes.value_or(std::vector<int64_t>())) {
    if (axis < 1 || axis > shape.rank())
      throw ValueError(
          fmt::format("option 'shared_axes': axis {} is not among 1 to {} of an input of shape {}.",
                      axis, shape.rank(), input.str()));
    shape[static_cast<int>(axis) - 1] = 1;
  }
  alpha = add_weight({.name = "alpha",
                      .shape = shape,
                      .initializer = config.alpha_initializer,
                      .regularizer = config.alpha_regularizer,
                      .constraint = config.alpha_constraint});
}

Tensor PReLULayer::call(const Tensor& x, const Call&) {
  // Two rectifiers, so that the derivative at 0 is 0 as in Keras.
  return fused([](Expr x, Expr a) { return expr::relu(x) - a * expr::relu(-x); }, x, alpha);
}

void register_prelu(Catalog& c) { c.add<PReLULayer>("keras.layers.PReLU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::PReLULayer, cornu::layers::PReLUConfig>;
