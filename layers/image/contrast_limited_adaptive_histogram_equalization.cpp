// Histograms of tiles made even, and interpolated.
#include "contrast_limited_adaptive_histogram_equalization.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../backend/image_equalization.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/padding.h"
#include "../../framework/ops/math/segment.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

namespace {

using backend::image::Tiling;

// How the places along an axis lie between the centers of tiles: the tile before and the one after,
// where tiles 0 and count + 1 repeat the outermost ones, and the fraction of the latter.
struct Between {
  Tensor before;
  Tensor after;
  Tensor share;
};

Between between_tiles(int64_t count, int64_t size, const Shape& shape) {
  std::vector<int32_t> before, after;
  std::vector<float> share;
  for (int64_t i = 0; i < count * size; ++i) {
    const float n = static_cast<float>(size);
    const float place = (static_cast<float>(i) - n / 2.0f) / n + 1.0f;
    const float whole = std::floor(place);
    const auto tile = static_cast<int32_t>(whole), last = static_cast<int32_t>(count + 1);
    before.push_back(std::clamp(tile, 0, last));
    after.push_back(std::clamp(tile + 1, 0, last));
    share.push_back(place - whole);
  }
  return {Tensor::from(before, shape), Tensor::from(after, shape), Tensor::from(share, shape)};
}

// The first and the last slice along `axis` once more.
Tensor with_ends_repeated(const Tensor& x, int axis) {
  const int64_t n = x.shape()[axis];
  std::vector<int32_t> order = {0};
  for (int64_t i = 0; i < n; ++i) order.push_back(static_cast<int32_t>(i));
  order.push_back(static_cast<int32_t>(n - 1));
  return ops::take(x, Tensor(order), axis);
}

// Histograms (..., 256) without what is beyond `limit`, which is spread over all bins.
Tensor limited(const Tensor& histograms, double limit) {
  const Tensor low = ops::minimum(histograms, limit);
  return low + ops::sum(histograms - low, -1, true) / 256.0;
}

// Images (n, h, w, c), bytes in floats or integers.
Tensor equalize_tiles(const Tensor& images, int64_t rows, int64_t columns, double clip_limit) {
  const int64_t n = images.shape()[0], height = images.shape()[1], width = images.shape()[2],
                channels = images.shape()[3];
  const int64_t tile_height = (height + rows - 1) / rows,
                tile_width = (width + columns - 1) / columns;
  const int64_t below = tile_height * rows - height, right = tile_width * columns - width;
  const Tensor padded =
      below == 0 && right == 0
          ? images
          : ops::pad(images, {{0, 0}, {0, below}, {0, right}, {0, 0}}, "symmetric");
  const Tensor pixels = ops::cast(ops::clip(padded, 0, 255), DType::int32);

  // The histogram of each tile: numbers of its pixels are counted in segments of 256.
  const int64_t tiles = n * rows * columns * channels, area = tile_height * tile_width;
  const Tensor tiled = ops::reshape(
      ops::transpose(ops::reshape(pixels, {n, rows, tile_height, columns, tile_width, channels}),
                     std::vector<int64_t>{0, 1, 3, 5, 2, 4}),
      {tiles, area});
  const Tensor first_bins = ops::arange(0, tiles * 256, 256, DType::int32);
  const Tensor bins = ops::reshape(tiled + ops::reshape(first_bins, {tiles, 1}), {-1});
  Tensor histograms = ops::reshape(ops::segment_sum(ops::ones({bins.size()}), bins, tiles * 256),
                                   {n, rows, columns, channels, 256});
  if (clip_limit > 0)
    histograms = limited(histograms, clip_limit * static_cast<double>(area) / 256.0);

  const Tensor sums = ops::cumsum(histograms, -1);
  const Tensor least = ops::min(sums, -1, true);
  const Tensor tables = fused(
      [](Expr sum, Expr least, Expr area) {
        const Expr span = area - least;
        const Expr y = (sum - least) * 255.0 / expr::select(expr::absolute(span) > 0.0, span, 1.0);
        return expr::minimum(expr::maximum(y, 0.0), 255.0);
      },
      sums, least, Tensor(static_cast<double>(area)));
  const Tensor flat = ops::reshape(with_ends_repeated(with_ends_repeated(tables, 1), 2), {-1});

  const int64_t x_step = 256 * channels, y_step = x_step * (columns + 2),
                image_step = y_step * (rows + 2);
  const auto steps = [](int64_t count, int64_t step, const Shape& shape) {
    return ops::reshape(ops::arange(0, count, 1, DType::int32), shape) * step;
  };
  const Tensor base =
      pixels + steps(n, image_step, {n, 1, 1, 1}) + steps(channels, 256, {1, 1, 1, channels});
  const Between y = between_tiles(rows, tile_height, {1, tile_height * rows, 1, 1});
  const Between x = between_tiles(columns, tile_width, {1, 1, tile_width * columns, 1});
  const auto table_at = [&](const Tensor& row, const Tensor& column) {
    return ops::take(flat, base + row * y_step + column * x_step);
  };
  const auto mix = [](const Tensor& a, const Tensor& b, const Tensor& share) {
    return fused([](Expr a, Expr b, Expr s) { return a * (1.0 - s) + b * s; }, a, b, share);
  };
  const Tensor result =
      mix(mix(table_at(y.before, x.before), table_at(y.before, x.after), x.share),
          mix(table_at(y.after, x.before), table_at(y.after, x.after), x.share), y.share);
  return ops::crop_images(result, 0, 0, {}, {}, height, width);
}

Tiling tiling_of(const ContrastLimitedAdaptiveHistogramEqualizationConfig& config) {
  return {.rows = config.tile_grid_size[0],
          .columns = config.tile_grid_size[1],
          .clip_limit = config.clip_limit,
          .low = static_cast<float>(config.value_range[0]),
          .high = static_cast<float>(config.value_range[1])};
}

}  // namespace

ContrastLimitedAdaptiveHistogramEqualizationLayer::
    ContrastLimitedAdaptiveHistogramEqualizationLayer(
        ContrastLimitedAdaptiveHistogramEqualizationConfig c)
    : ImageLayerOf(std::move(c)) {
  check_range(config.value_range);
  check_positive("tile_grid_size", config.tile_grid_size.vec());
}

Tensor ContrastLimitedAdaptiveHistogramEqualizationLayer::transform_images(const Tensor& images,
                                                                           const Transformation&,
                                                                           bool) {
  const bool first = images_channels_first();
  const Tiling tiling = tiling_of(config);
  // In other ranges the two might round values near an integer to different bins.
  if ((config.value_range == byte_range || config.value_range == unit_range) &&
      by_pictures(images, {}))
    return each_picture(images, {}, first,
                        fmt::format("equalize tiles {} {} {} {}", tiling.rows, tiling.columns,
                                    tiling.clip_limit, tiling.high),
                        [tiling](const Picture& from, const Picture& to, const auto&) {
                          equalize_by_tiles(from, to, tiling);
                        });
  const Tensor last = first ? ops::transpose(images, std::vector<int64_t>{0, 2, 3, 1}) : images;
  const Tensor bytes = transform_value_range(last, config.value_range, byte_range);
  const Tensor even =
      equalize_tiles(bytes, config.tile_grid_size[0], config.tile_grid_size[1], config.clip_limit);
  const Tensor y =
      ops::cast(transform_value_range(even, byte_range, config.value_range), images.dtype());
  return first ? ops::transpose(y, std::vector<int64_t>{0, 3, 1, 2}) : y;
}

void ContrastLimitedAdaptiveHistogramEqualizationLayer::augment(data::Sample& sample,
                                                                data::Draws&) const {
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    equalize_by_tiles(from, to, tiling_of(config));
  });
}

void register_contrast_limited_adaptive_histogram_equalization(Catalog& c) {
  c.add<ContrastLimitedAdaptiveHistogramEqualizationLayer>(
      "keras.layers.ContrastLimitedAdaptiveHistogramEqualization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ContrastLimitedAdaptiveHistogramEqualizationLayer,
                              cornu::layers::ContrastLimitedAdaptiveHistogramEqualizationConfig>;
