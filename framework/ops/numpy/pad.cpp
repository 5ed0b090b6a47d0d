// Padding: each axis in turn gets elements at both ends.
#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/strided.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "joining.h"
#include "manipulation.h"
#include "reduction.h"
#include "statistics.h"

namespace cornu::ops {

namespace {

constexpr const char* modes =
    "'constant', 'edge', 'empty', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', "
    "'reflect', 'symmetric' or 'wrap'";

bool moves_elements(const std::string& mode) {
  return mode == "reflect" || mode == "symmetric" || mode == "edge" || mode == "wrap";
}

// For each place of a padded axis the element that is there.
std::vector<int64_t> padded_places(const std::string& mode, int64_t size, int64_t before,
                                   int64_t after) {
  const bool repeats_border = mode == "symmetric";
  const int64_t period = mode == "wrap"   ? size
                         : repeats_border ? 2 * size
                                          : std::max<int64_t>(2 * size - 2, 1);
  std::vector<int64_t> places;
  for (int64_t i = -before; i < size + after; ++i) {
    const int64_t place = (i % period + period) % period;
    if (mode == "edge")
      places.push_back(std::clamp<int64_t>(i, 0, size - 1));
    else
      places.push_back(place < size ? place : period - place - (repeats_border ? 1 : 0));
  }
  return places;
}

Tensor index_list(const std::vector<int64_t>& list) { return cast(Tensor(list), DType::int32); }

// `count` steps from 0 up to the border's elements, without them.
Tensor ramp(const Tensor& border, int axis, int64_t count) {
  Shape along;
  for (int i = 0; i < border.rank(); ++i) along.push_back(i == axis ? count : 1);
  const Tensor steps =
      multiply(border, reshape(divide(arange(count), Tensor(static_cast<double>(count))), along));
  return cast(is_float(border.dtype()) ? steps : floor(steps), border.dtype());
}

// The statistic of x along the axis, which stays with size 1.
Tensor statistic(const Tensor& x, int axis, const std::string& mode) {
  if (mode == "maximum") return cast(max(x, axis, true), x.dtype());
  if (mode == "minimum") return cast(min(x, axis, true), x.dtype());
  const Tensor y = mode == "mean" ? mean(x, axis, true) : median(x, axis, true);
  return cast(is_float(x.dtype()) || x.dtype() == DType::boolean ? y : detail::round_even(y),
              x.dtype());
}

Tensor padded_along(const Tensor& x, int axis, const std::string& mode, int64_t before,
                    int64_t after) {
  const int64_t size = x.shape()[axis];
  if (size == 0)
    throw ShapeError(fmt::format("pad: mode '{}' needs elements along axis {} of shape {}.", mode,
                                 axis, x.shape().str()));
  if (moves_elements(mode))
    return take(x, index_list(padded_places(mode, size, before, after)), axis);
  if (mode == "linear_ramp") {
    const auto border = [&](int64_t place) { return take(x, index_list({place}), axis); };
    return concatenate(
        {ramp(border(0), axis, before), x, flip(ramp(border(size - 1), axis, after), axis)}, axis);
  }
  const Tensor value = statistic(x, axis, mode);
  return concatenate({repeat(value, before, axis), x, repeat(value, after, axis)}, axis);
}

}  // namespace

Tensor pad(const Tensor& x, const PadWidth& widths, const std::string& mode,
           std::optional<double> constant) {
  if (is_symbolic(x)) return symbolic_call(&pad, x, widths, mode, constant);
  const bool computes = mode == "linear_ramp" || mode == "maximum" || mode == "mean" ||
                        mode == "median" || mode == "minimum";
  const bool fills = mode == "constant" || mode == "empty";
  if (!fills && !computes && !moves_elements(mode))
    throw ValueError(fmt::format("pad: mode must be {}, found '{}'.", modes, mode));
  if (constant && mode != "constant")
    throw ValueError(
        fmt::format("pad: constant_values are for mode 'constant', found mode '{}'.", mode));
  if (static_cast<int>(widths.size()) != x.rank() && widths.size() != 1)
    throw ShapeError(fmt::format("pad: {} pairs of widths for a tensor of shape {}.", widths.size(),
                                 x.shape().str()));
  for (const std::vector<int64_t>& w : widths) {
    if (w.empty() || w.size() > 2)
      throw ValueError(fmt::format("pad: pad_width has pairs, found {} numbers.", w.size()));
    if (w.front() < 0 || w.back() < 0)
      throw ValueError(
          fmt::format("pad: pad_width must not be negative, found ({}, {}).", w.front(), w.back()));
  }
  Shape shape = x.shape();
  InlineVector<int64_t, 6> starts, steps(static_cast<size_t>(x.rank()), 1);
  Tensor y = x;
  for (int i = 0; i < x.rank(); ++i) {
    const auto& w = widths.size() == 1 ? widths[0] : widths[i];
    starts.push_back(w.front());
    shape[i] += w.front() + w.back();
    if (!fills && w.front() + w.back() > 0) y = padded_along(y, i, mode, w.front(), w.back());
  }
  if (!fills) return y;
  return detail::copy_box(x, x.shape(), {0, detail::dense_strides(x.shape())},
                          detail::box(shape, starts, steps), shape, false, constant.value_or(0));
}

}  // namespace cornu::ops
