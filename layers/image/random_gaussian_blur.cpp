// Images blurred by chance.
#include "random_gaussian_blur.h"

#include <array>
#include <cstring>

#include <fmt/core.h>

#include "../../backend/image_filter.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

namespace {

using backend::image::bell;

// The bell of width sigma at the `size` places around its middle, (size), with sum 1.
Tensor bell(int64_t size, const Tensor& sigma) {
  const Tensor places = ops::arange(0, size, 1, sigma.dtype());
  const Tensor y = fused(
      [](Expr x, Expr middle, Expr sigma) {
        const Expr d = (x - middle) / sigma;
        return expr::exp(d * d * -0.5);
      },
      places, Tensor(static_cast<double>(size - 1) / 2), sigma);
  return y / ops::sum(y);
}

}  // namespace

RandomGaussianBlurLayer::RandomGaussianBlurLayer(RandomGaussianBlurConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  config.sigma = settled_factor(config.sigma, 0, 1, "sigma");
  for (int64_t size : config.kernel_size.sizes)
    if (size < 1 || size % 2 == 0)
      throw ValueError(fmt::format("kernel_size: expected positive odd numbers, found {} and {}.",
                                   config.kernel_size[0], config.kernel_size[1]));
  check_range(config.value_range);
}

Transformation RandomGaussianBlurLayer::get_random_transformation(const Nest& data, bool training,
                                                                  SeedGenerator* seed) {
  if (!training) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const auto &factor = config.factor.values(), &sigma = config.sigma.values();
  const Tensor probability = draw_for_images(data, factor[0], factor[1], seeds);
  const Tensor threshold = draw_for_images(data, 0, 1, seeds);
  const Tensor widths = random::uniform({2}, sigma[0], sigma[1], seeds, compute_dtype());
  return {.values = {{"should_apply_blur", ops::less(threshold, probability)},
                     {"blur_factor", widths + 1e-6}}};
}

Tensor RandomGaussianBlurLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                                 bool training) {
  const Tensor x = ops::cast(images, compute_dtype());
  if (!training || drawn.empty()) return x;
  const Tensor &chosen = drawn["should_apply_blur"], &widths = drawn["blur_factor"];
  if (by_pictures(x, {chosen, widths})) {
    const std::array<int64_t, 2> sizes = {config.kernel_size[0], config.kernel_size[1]};
    return each_picture(
        x, {chosen, widths}, images_channels_first(),
        fmt::format("blur {} {} {} {}", sizes[0], sizes[1], config.value_range[0],
                    config.value_range[1]),
        [sizes, range = config.value_range](const Picture& from, const Picture& to,
                                            const auto& draws) {
          const auto* sigma = draws.all()[1].template mutable_data<float>();
          if (draws.is(0))
            filter_separable(from, to, bell(sizes[0], sigma[0]), bell(sizes[1], sigma[1]),
                             backend::image::Fill::constant);
          else
            std::memcpy(to.data, from.data, static_cast<size_t>(from.height) * from.row_bytes());
          cut_to_range(to, range);
        });
  }
  const int64_t width = config.kernel_size[0], height = config.kernel_size[1];
  const int64_t channels = x.shape(channel_axis());
  const std::vector<Tensor> sigma = ops::split(drawn["blur_factor"], 2);
  const Tensor kernel = ops::reshape(bell(height, sigma[1]), {height, 1, 1, 1}) *
                        ops::reshape(bell(width, sigma[0]), {1, width, 1, 1});
  const Tensor blurred = ops::depthwise_conv(
      x, ops::broadcast_to(kernel, {height, width, channels, 1}), {1}, "same", config.data_format);
  const Tensor y = ops::where(per_image(drawn["should_apply_blur"]), blurred, x);
  return ops::clip(y, config.value_range[0], config.value_range[1]);
}

void RandomGaussianBlurLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const auto drawn_bell = [&](int64_t size) {
    return bell(size, drawn(config.sigma, draws) + 1e-6);
  };
  const std::vector<float> across = drawn_bell(config.kernel_size[0]),
                           down = drawn_bell(config.kernel_size[1]);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    filter_separable(from, to, across, down, backend::image::Fill::constant);
    cut_to_range(to, config.value_range);
  });
}

void register_random_gaussian_blur(Catalog& c) {
  c.add<RandomGaussianBlurLayer>("keras.layers.RandomGaussianBlur");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomGaussianBlurLayer,
                              cornu::layers::RandomGaussianBlurConfig>;
