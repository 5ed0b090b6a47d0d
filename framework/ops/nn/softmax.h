// Activations over axes: softmax and its relatives.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// exp(x) / sum(exp(x)) over one axis, several together, or (std::nullopt) all.
Tensor softmax(const Tensor& x, const Axes& axis = -1);
/// log(softmax(x)) without loss of precision.
Tensor log_softmax(const Tensor& x, const Axes& axis = -1);
/// The point of the simplex that is nearest to x along an axis, by the rule that Keras uses.
/// https://arxiv.org/abs/1602.02068
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
/// The first half of x along an axis, gated by the sigmoid of the second:
/// https://arxiv.org/abs/1612.08083. Throws ShapeError when the axis cannot be halved.
Tensor glu(const Tensor& x, int64_t axis = -1);

}  // namespace cornu::ops
