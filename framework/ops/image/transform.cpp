// Resampling at computed coordinates.
#include "transform.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/host_sampling.h"
#include "../detail/images.h"
#include "../elementwise.h"
#include "../linalg/solvers.h"
#include "../nn/convolution.h"
#include "../numpy/arithmetic.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"
#include "../random/draws.h"
#include "../random/seed.h"

namespace cornu::ops {

namespace {

using backend::image::Fill;

// In the order of Fill.
Fill fill_of(const std::string& name, const char* who) {
  const std::vector<std::string> names = {"constant", "nearest", "wrap", "mirror", "reflect"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Fill>(i);
  throw ValueError(
      fmt::format("{}: fill_mode '{}' is not known.{}", who, name, did_you_mean(name, names)));
}

int64_t order_of(const std::string& interpolation, const char* who) {
  if (interpolation == "nearest") return 0;
  if (interpolation == "bilinear") return 1;
  throw ValueError(fmt::format(
      "{}: interpolation must be \"bilinear\" or \"nearest\", found \"{}\".", who, interpolation));
}

// Whole-numbered places on an axis of `size`, brought inside it; still floats.
Tensor inside(const Tensor& place, int64_t size, Fill fill) {
  const Tensor n(static_cast<double>(size));
  if (size == 1) return zeros_like(place);
  switch (fill) {
    case Fill::wrap:
      return fused([](Expr i, Expr n) { return expr::mod(i, n); }, place, n);
    case Fill::mirror:
      return fused([](Expr i, Expr s) { return expr::absolute(expr::mod(i + s, s * 2.0) - s); },
                   place, n - 1);
    case Fill::reflect:
      return fused(
          [](Expr i, Expr n) {
            return expr::floor(
                (expr::absolute(expr::mod(i * 2.0 + 1.0 + n * 2.0, n * 4.0) - n * 2.0) - 1.0) *
                0.5);
          },
          place, n);
    case Fill::constant:
    case Fill::nearest:
      break;
  }
  return fused([](Expr i, Expr n) { return expr::minimum(expr::relu(i), n - 1.0); }, place, n);
}

// To the nearest whole number, a half away from zero. The fraction is exact, where the sum of x and
// a half would round what is next to a half up.
constexpr auto rounded = [](Expr x) {
  const Expr distance = expr::absolute(x), below = expr::floor(distance);
  return expr::sign(x) * (below + (distance - below >= 0.5));
};

struct Grid {
  std::vector<int64_t> sizes;    // of the axes that coordinates are of
  std::vector<int64_t> strides;  // of these in rows
  Tensor base;                   // the row of each result's origin; empty for 0
  int64_t order;
  Fill fill;
  double value;

  backend::image::Sampling sampling() const { return {order == 1, fill, value}; }
};

// Weighted sums of `rows` (row, ...) at places of the grid; the coordinates are floats that
// broadcast together.
Tensor sample(const Tensor& rows, const std::vector<Tensor>& coordinates, const Grid& grid) {
  struct Node {
    Tensor index, valid, weight;
  };
  std::vector<std::vector<Node>> nodes;
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const Tensor& at = coordinates[i];
    const Tensor size(static_cast<double>(grid.sizes[i]));
    const auto node = [&](const Tensor& place, const Tensor& weight) {
      Tensor valid;
      if (grid.fill == Fill::constant)
        valid = cast(fused([](Expr p, Expr n) { return (p >= 0.0) * (p < n); }, place, size),
                     DType::boolean);
      return Node{cast(inside(place, grid.sizes[i], grid.fill), DType::int32) * grid.strides[i],
                  valid, weight};
    };
    if (grid.order == 0) {
      nodes.push_back({node(fused(rounded, at), {})});
    } else {
      const Tensor below = floor(at);
      const Tensor upper = at - below;
      nodes.push_back({node(below, 1.0 - upper), node(below + 1, upper)});
    }
  }
  Tensor result;
  for (size_t corner = 0; corner < size_t{1} << (grid.order * static_cast<int64_t>(nodes.size()));
       ++corner) {
    Tensor index = grid.base, valid, weight;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i][grid.order == 0 ? 0 : corner >> i & 1];
      index = index ? index + n.index : n.index;
      if (n.valid) valid = valid ? logical_and(valid, n.valid) : n.valid;
      if (n.weight) weight = weight ? weight * n.weight : n.weight;
    }
    Tensor value = take(rows, index, 0);
    const bool wide = value.rank() > index.rank();
    const auto spread = [&](const Tensor& t) { return wide ? expand_dims(t, {-1}) : t; };
    if (valid) value = where(spread(valid), value, cast(Tensor(grid.value), rows.dtype()));
    if (weight) value = value * spread(weight);
    result = result ? result + value : value;
  }
  if (is_float(rows.dtype())) return cast(result, rows.dtype());
  if (is_float(result.dtype())) result = fused(rounded, result);
  return cast(result, rows.dtype());
}

Tensor range_along(int64_t n, int axis, int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == axis ? n : 1);
  return reshape(arange(0, n, 1, DType::float32), shape);
}

// The images as (n, h, w, c).
Tensor as_batch(const Tensor& images, bool last) {
  const Tensor batch = images.rank() == 3 ? expand_dims(images, {0}) : images;
  return last ? batch : transpose(batch, {{0, 2, 3, 1}});
}

Tensor from_batch(const Tensor& batch, bool last, bool single) {
  const Tensor y = last ? batch : transpose(batch, {{0, 3, 1, 2}});
  return single ? squeeze(y, 0) : y;
}

// Entry i of each row of t (n, k), as (n, 1, 1...).
Tensor column(const Tensor& t, int64_t i, int rank) {
  const Tensor c = get_item(t, Value::List{Slice{}, i});
  Shape shape = c.shape();
  while (shape.rank() < rank) shape.push_back(1);
  return reshape(c, shape);
}

}  // namespace

Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, int64_t order,
                       const std::string& fill_mode, double fill_value) {
  if (is_symbolic(inputs, coordinates))
    return symbolic_call(&map_coordinates, inputs, coordinates, order, fill_mode, fill_value);
  if (coordinates.rank() < 2 || coordinates.shape()[0] != inputs.rank())
    throw ShapeError(fmt::format(
        "map_coordinates: coordinates of shape {} for inputs of shape {}: expected two axes "
        "or more, the first of size {}.",
        coordinates.shape().str(), inputs.shape().str(), inputs.rank()));
  if (order != 0 && order != 1)
    throw ValueError(fmt::format("map_coordinates: order must be 0 or 1, found {}.", order));
  Grid grid{{}, {}, {}, order, fill_of(fill_mode, "map_coordinates"), fill_value};
  std::vector<Tensor> places;
  int64_t stride = inputs.size();
  for (int i = 0; i < inputs.rank(); ++i) {
    grid.sizes.push_back(inputs.shape()[i]);
    grid.strides.push_back(stride /= std::max<int64_t>(inputs.shape()[i], 1));
    const Tensor place = get_item(coordinates, static_cast<int64_t>(i));
    places.push_back(is_float(place.dtype()) ? place : cast(place, DType::float32));
  }
  return sample(reshape(inputs, {-1}), places, grid);
}

Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const std::string& interpolation, const std::string& fill_mode,
                        double fill_value, const DataFormat& format) {
  if (is_symbolic(images, transform))
    return symbolic_call(&affine_transform, images, transform, interpolation, fill_mode, fill_value,
                         format);
  detail::check_images(images, "affine_transform");
  const bool last = detail::is_channels_last(format, "affine_transform");
  const Tensor x = as_batch(images, last);
  const int64_t n = x.shape()[0], h = x.shape()[1], w = x.shape()[2], c = x.shape()[3];
  const Tensor t =
      cast(transform.rank() == 1 ? expand_dims(transform, {0}) : transform, DType::float32);
  if (t.rank() != 2 || t.shape()[1] != 8 || (t.shape()[0] != n && t.shape()[0] != 1))
    throw ShapeError(
        fmt::format("affine_transform: expected a transform (8) or ({}, 8), found shape {}.", n,
                    transform.shape().str()));
  Grid grid{{h, w},
            {w * c, c},
            {},
            order_of(interpolation, "affine_transform"),
            fill_of(fill_mode, "affine_transform"),
            fill_value};
  const bool single = images.rank() == 3;
  if (detail::host_samples(x, t, grid.sampling()))
    return from_batch(detail::sampled_on_host(x, t, grid.sampling(), false), last, single);
  const auto entry = [&](int64_t i) { return column(t, i, 4); };
  const Tensor row = range_along(h, 1, 4), col = range_along(w, 2, 4),
               channel = range_along(c, 3, 4);
  // Keras lets the last two numbers shift a channel by its number.
  const Tensor y = row * entry(4) + col * entry(3) + channel * entry(6) + entry(5);
  const Tensor across = row * entry(1) + col * entry(0) + channel * entry(7) + entry(2);
  grid.base = cast(range_along(n, 0, 4), DType::int32) * (h * w * c) + cast(channel, DType::int32);
  return from_batch(sample(reshape(x, {-1}), {y, across}, grid), last, single);
}

Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points, const std::string& interpolation,
                             double fill_value, const DataFormat& format) {
  if (is_symbolic(images, start_points, end_points))
    return symbolic_call(&perspective_transform, images, start_points, end_points, interpolation,
                         fill_value, format);
  detail::check_images(images, "perspective_transform");
  const bool last = detail::is_channels_last(format, "perspective_transform");
  const Tensor x = as_batch(images, last);
  const int64_t n = x.shape()[0], h = x.shape()[1], w = x.shape()[2], c = x.shape()[3];
  const auto corners = [&](const Tensor& points) {
    const Tensor p = cast(points.rank() == 2 ? expand_dims(points, {0}) : points, DType::float32);
    if (p.shape() != Shape{n, 4, 2} && p.shape() != Shape{1, 4, 2})
      throw ShapeError(fmt::format(
          "perspective_transform: expected points (4, 2) or ({}, 4, 2), found shape {}.", n,
          points.shape().str()));
    return p;
  };
  const Tensor t = detail::homography(corners(start_points), corners(end_points));
  Grid grid{{h, w},         {w, 1},    {}, order_of(interpolation, "perspective_transform"),
            Fill::constant, fill_value};
  const bool single = images.rank() == 3;
  if (detail::host_samples(x, t, grid.sampling()))
    return from_batch(detail::sampled_on_host(x, t, grid.sampling(), true), last, single);
  const auto entry = [&](int64_t i) { return column(t, i, 3); };
  const Tensor row = range_along(h, 1, 3), col = range_along(w, 2, 3);
  const Tensor depth = entry(6) * col + entry(7) * row + 1;
  const Tensor across = (entry(0) * col + entry(1) * row + entry(2)) / depth;
  const Tensor y = (entry(3) * col + entry(4) * row + entry(5)) / depth;
  grid.base = cast(range_along(n, 0, 3), DType::int32) * (h * w);
  return from_batch(sample(reshape(x, {n * h * w, c}), {y, across}, grid), last, single);
}

Tensor elastic_transform(const Tensor& images, double alpha, double sigma,
                         const std::string& interpolation, const std::string& fill_mode,
                         double fill_value, std::optional<int64_t> seed, const DataFormat& format) {
  if (is_symbolic(images))
    return symbolic_call(&elastic_transform, images, alpha, sigma, interpolation, fill_mode,
                         fill_value, seed, format);
  return detail::elastic_transform(images, images.dtype(),
                                   {.alpha = Tensor(alpha),
                                    .sigma = Tensor(sigma),
                                    .largest_sigma = sigma,
                                    .interpolation = interpolation,
                                    .fill_mode = fill_mode,
                                    .fill_value = fill_value,
                                    .data_format = format},
                                   seed ? *seed : random::default_seed());
}

}  // namespace cornu::ops

namespace cornu::detail {

Tensor homography(const Tensor& from, const Tensor& to) {
  using namespace ops;
  const auto part = [](const Tensor& t, int64_t i) {
    return ops::get_item(t, Value::List{Ellipsis{}, i});
  };
  const Tensor x = part(to, 0), y = part(to, 1), u = part(from, 0), v = part(from, 1);
  const Tensor zero = ops::zeros_like(x), one = ops::ones_like(x);
  const Tensor across = ops::stack({x, y, one, zero, zero, zero, -u * x, -u * y}, -1);
  const Tensor down = ops::stack({zero, zero, zero, x, y, one, -v * x, -v * y}, -1);
  return ops::solve(ops::concatenate({across, down}, 1), ops::concatenate({u, v}, -1));
}

Tensor elastic_transform(const Tensor& images, DType dtype, const ElasticDistortion& how,
                         const Seed& seed) {
  using namespace ops;
  check_images(images, "elastic_transform");
  const bool last = is_channels_last(how.data_format, "elastic_transform"),
             single = images.rank() == 3;
  const backend::image::Sampling sampling{order_of(how.interpolation, "elastic_transform") == 1,
                                          fill_of(how.fill_mode, "elastic_transform"),
                                          how.fill_value};
  const Tensor batch = single ? ops::expand_dims(images, {0}) : images;
  const ElasticDraws draws{seed.key(), ops::cast(how.alpha, DType::float32),
                           ops::cast(how.sigma, DType::float32),
                           how.chosen ? how.chosen : Tensor(true)};
  const Distortion distortion{sampling, !last, how.value_range};
  if (how.largest_sigma >= 0 && host_distorts(batch, dtype, draws, distortion)) {
    const Tensor y = distorted_on_host(batch, dtype, draws, distortion);
    return single ? ops::squeeze(y, 0) : y;
  }
  const Tensor x = as_batch(ops::cast(batch, dtype), last);
  const int64_t n = x.shape()[0], h = x.shape()[1], w = x.shape()[2], c = x.shape()[3];
  const DType wide = is_float(dtype) ? dtype : DType::float32;
  const Tensor deviation = ops::cast(how.sigma, wide);
  // The kernel has the size of the largest sigma, and zeros beyond what its own sigma reaches, so
  // that its size is known before sigma is.
  const auto reach = static_cast<int64_t>(std::floor(3 * how.largest_sigma));
  const Tensor place = ops::cast(ops::arange(-reach, reach + 1, 1, DType::float32), wide);
  const Tensor bell = fused(
      [](Expr x, Expr s) {
        return expr::select(expr::absolute(x) <= expr::floor(s * 3.0),
                            expr::exp((x / s) * (x / s) * -0.5), 0.0);
      },
      place, deviation);
  const Tensor kernel = bell / ops::sum(bell);
  const Tensor noise = random::normal({n, h, w, 1}, 0, 1, seed, wide) * deviation;
  const int64_t size = 2 * reach + 1;
  const Tensor down = ops::conv(noise, ops::reshape(kernel, {size, 1, 1, 1}), {1}, "same");
  const Tensor field = ops::conv(down, ops::reshape(kernel, {1, size, 1, 1}), {1}, "same");
  const Tensor shift =
      ops::reshape(ops::cast(field * ops::cast(how.alpha, wide), DType::float32), {n, h, w});
  const Grid grid{{h, w},
                  {w, 1},
                  ops::cast(range_along(n, 0, 3), DType::int32) * (h * w),
                  sampling.linear ? 1 : 0,
                  sampling.fill,
                  sampling.value};
  Tensor y = sample(ops::reshape(x, {n * h * w, c}),
                    {range_along(h, 1, 3) + shift, range_along(w, 2, 3) + shift}, grid);
  if (how.chosen) y = ops::where(ops::expand_dims(how.chosen, {1, 2, 3}), y, x);
  if (!how.value_range.empty())
    y = ops::cast(ops::clip(y, how.value_range[0], how.value_range[1]), dtype);
  return from_batch(y, last, single);
}

}  // namespace cornu::detail

namespace cornu::ops {

void list_image_transform(OpCatalog& catalog) {
  catalog.add("image.MapCoordinates",
              {"inputs", "coordinates", "order", "fill_mode='constant'", "fill_value=0"},
              &map_coordinates);
  catalog.add("image.AffineTransform",
              {"images", "transform", "interpolation='bilinear'", "fill_mode='constant'",
               "fill_value=0", "data_format=None"},
              &affine_transform);
  catalog.add("image.PerspectiveTransform",
              {"images", "start_points", "end_points", "interpolation='bilinear'", "fill_value=0",
               "data_format=None"},
              &perspective_transform);
  catalog.add("image.ElasticTransform",
              {"images", "alpha=20.0", "sigma=5.0", "interpolation='bilinear'",
               "fill_mode='reflect'", "fill_value=0.0", "seed=None", "data_format=None"},
              &elastic_transform);
}

}  // namespace cornu::ops
