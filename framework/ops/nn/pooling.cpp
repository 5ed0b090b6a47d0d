// Pooling: sizes of windows, then one Pool kernel.
#include "pooling.h"

#include <fmt/core.h>

#include <cctype>

#include "../catalog.h"
#include "../detail/windows.h"
#include "../elementwise.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

Tensor pool(const Tensor& x, bool maximum, const std::vector<int64_t>& pool_size,
            const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
            const std::string& data_format, const char* op) {
  const detail::Padding pad = detail::padding_of(padding);
  return detail::in_channels_last(x, data_format, op, [&](const Tensor& t) {
    const int spatial = t.rank() - 2;
    const detail::AxisSizes sizes = detail::per_axis(pool_size, spatial, op, "pool_size");
    const detail::Window w = detail::window_of(
        t.shape(), sizes, strides ? detail::per_axis(*strides, spatial, op, "strides") : sizes,
        detail::AxisSizes(static_cast<size_t>(spatial), 1), pad, op);
    const Shape shape = concat(concat({t.shape()[0]}, w.out), {t.shape().back()});
    return apply(backend::Pool{maximum, false, w.sizes, w.strides, w.low, w.high}, {t},
                 TensorSpec{shape, t.dtype()});
  });
}

// Windows of one size along one axis, all others being 1.
Tensor pool_axis(const Tensor& x, bool maximum, int axis, int64_t size, int64_t stride) {
  detail::AxisSizes sizes(static_cast<size_t>(x.rank() - 2), 1), strides = sizes,
                                                                 none(sizes.size(), 0);
  sizes[static_cast<size_t>(axis - 1)] = size;
  strides[static_cast<size_t>(axis - 1)] = stride;
  Shape shape = x.shape();
  shape[axis] = (shape[axis] - size) / stride + 1;
  return apply(backend::Pool{maximum, false, sizes, strides, none, none}, {x},
               TensorSpec{shape, x.dtype()});
}

// A window of an axis has one of two sizes; those of each size are computed at all places, then
// picked.
Tensor adapt_axis(const Tensor& x, bool maximum, int axis, int64_t count) {
  const int64_t size = x.shape()[axis], small = (size + count - 1) / count;
  if (size == count) return x;
  if (size % count == 0) return pool_axis(x, maximum, axis, small, small);
  std::vector<int32_t> picks;
  bool any_big = false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * size / count, end = ((i + 1) * size + count - 1) / count;
    const bool big = end - begin > small;
    any_big |= big;
    picks.push_back(static_cast<int32_t>(big ? begin + size - small + 1 : begin));
  }
  Tensor pooled = small == 1 ? x : pool_axis(x, maximum, axis, small, 1);
  if (any_big) pooled = concatenate({pooled, pool_axis(x, maximum, axis, small + 1, 1)}, axis);
  return take(pooled, Tensor(picks), axis);
}

Tensor adapt(const Tensor& x, bool maximum, const std::vector<int64_t>& output_size,
             const std::string& data_format, const char* op) {
  return detail::in_channels_last(x, data_format, op, [&](const Tensor& t) {
    const detail::AxisSizes counts = detail::per_axis(output_size, t.rank() - 2, op, "output_size");
    Tensor y = t;
    for (int axis = 1; axis < t.rank() - 1; ++axis) {
      const int64_t count = counts[static_cast<size_t>(axis - 1)];
      if (count <= 0 || t.shape()[axis] <= 0)
        throw ValueError(fmt::format(
            "{}: output_size and the spatial axes of the input must be positive, found {} "
            "places for axis {} of shape {} (channels last).",
            op, count, axis, t.shape().str()));
      y = adapt_axis(y, maximum, axis, count);
    }
    return y;
  });
}

}  // namespace

Tensor max_pool(const Tensor& x, const IntegerList& pool_size, const OptionalIntegers& strides,
                const std::string& padding, const std::string& data_format) {
  if (is_symbolic(x)) return symbolic_call(&max_pool, x, pool_size, strides, padding, data_format);
  return pool(x, true, pool_size, strides, padding, data_format, "max_pool");
}

Tensor average_pool(const Tensor& x, const IntegerList& pool_size, const OptionalIntegers& strides,
                    const std::string& padding, const std::string& data_format) {
  if (is_symbolic(x))
    return symbolic_call(&average_pool, x, pool_size, strides, padding, data_format);
  return pool(x, false, pool_size, strides, padding, data_format, "average_pool");
}

Tensor adaptive_max_pool(const Tensor& x, const IntegerList& output_size,
                         const std::string& data_format) {
  if (is_symbolic(x)) return symbolic_call(&adaptive_max_pool, x, output_size, data_format);
  return adapt(x, true, output_size, data_format, "adaptive_max_pool");
}

Tensor adaptive_average_pool(const Tensor& x, const IntegerList& output_size,
                             const std::string& data_format) {
  if (is_symbolic(x)) return symbolic_call(&adaptive_average_pool, x, output_size, data_format);
  return adapt(x, false, output_size, data_format, "adaptive_average_pool");
}

void list_nn_pooling(OpCatalog& catalog) {
  catalog.add(
      "nn.MaxPool",
      {"inputs", "pool_size", "strides=None", "padding='valid'", "data_format='channels_last'"},
      &max_pool);
  catalog.add(
      "nn.AveragePool",
      {"inputs", "pool_size", "strides=None", "padding='valid'", "data_format='channels_last'"},
      &average_pool);
  catalog.add("nn.AdaptiveMaxPool", {"inputs", "output_size", "data_format='channels_last'"},
              &adaptive_max_pool);
  catalog.add("nn.AdaptiveAveragePool", {"inputs", "output_size", "data_format='channels_last'"},
              &adaptive_average_pool);
}

}  // namespace cornu::ops
