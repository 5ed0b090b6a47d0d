// Products of vectors, sample by sample.
#include "dot.h"

#include <fmt/core.h>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/nn/normalization.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"

namespace cornu::layers {

DotLayer::DotLayer(DotConfig c) : LayerOf(std::move(c)) {
  axes_ = detail::from_value<std::vector<int64_t>>(config.axes->value());
  if (axes_.size() == 1) axes_.push_back(axes_[0]);
  if (axes_.size() != 2)
    throw ValueError(
        fmt::format("option 'axes' must be one axis or two, found {}.", Shape(axes_).str()));
  supports_masking_ = true;
}

int DotLayer::axis_of(size_t input, const Shape& shape) const {
  if (shape.rank() < 2)
    throw ShapeError(fmt::format("expected inputs of rank 2 or more (batch first), found shape {}.",
                                 shape.str()));
  const int axis = normalize_axis(axes_[input], shape.rank(), "option 'axes'");
  if (axis == 0)
    throw ValueError(
        "option 'axes' cannot be the batch's axis 0. Add an axis with "
        "ops::expand_dims if the inputs have no batch.");
  return axis;
}

Nest DotLayer::call_many(const Nest& inputs, const Call&) {
  const std::vector<Tensor> list = merge_inputs(inputs, "Dot", 2);
  if (list.size() != 2)
    throw ShapeError(fmt::format("Dot takes a list of exactly 2 tensors, found {}.", list.size()));
  Tensor x = list[0], y = list[1];
  const int a = axis_of(0, x.shape()), b = axis_of(1, y.shape());
  if (x.shape()[0] != y.shape()[0] || x.shape()[a] != y.shape()[b])
    throw ShapeError(fmt::format(
        "expected inputs that agree on the batch and have one size along axes {} and {}, found "
        "shapes {} and {}.",
        a, b, x.shape().str(), y.shape().str()));
  if (config.normalize) {
    x = ops::normalize(x, a);
    y = ops::normalize(y, b);
  }
  // (batch, rows, n) times (batch, n, columns).
  const int64_t batch = x.shape()[0], n = x.shape()[a];
  Shape result = {batch};
  int64_t rows = 1, columns = 1;
  for (int i = 1; i < x.rank(); ++i)
    if (i != a) {
      result.push_back(x.shape()[i]);
      rows *= x.shape()[i];
    }
  for (int i = 1; i < y.rank(); ++i)
    if (i != b) {
      result.push_back(y.shape()[i]);
      columns *= y.shape()[i];
    }
  if (result.rank() == 1) result.push_back(1);
  if (a != x.rank() - 1) x = ops::moveaxis(x, {a}, {-1});
  if (b != 1) y = ops::moveaxis(y, {b}, {1});
  const Tensor product =
      ops::matmul(ops::reshape(x, {batch, rows, n}), ops::reshape(y, {batch, n, columns}));
  return ops::reshape(product, result);
}

Tensor dot(const Nest& inputs, DotConfig options) { return Dot(std::move(options))(inputs); }

void register_dot(Catalog& c) { c.add<DotLayer>("keras.layers.Dot"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DotLayer, cornu::layers::DotConfig>;
