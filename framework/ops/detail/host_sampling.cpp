// Batches through the kernel that samples pictures.
#include "host_sampling.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../../backend/image_batch.h"
#include "../../../backend/image_colors.h"
#include "../../../backend/image_filter.h"
#include "../../../backend/image_rows.h"
#include "images.h"

namespace cornu::detail {
namespace {

using backend::image::Homography;
using backend::image::Picture;
using backend::image::Sampling;

// The eight numbers of each row of a transform (n, 8).
std::vector<Homography> maps_of(const Tensor& transform, bool projective) {
  std::vector<Homography> maps(static_cast<size_t>(transform.shape()[0]));
  const auto* numbers = transform.mutable_data<float>();
  for (auto& map : maps) {
    std::copy_n(numbers, projective ? 8 : 6, map.begin());
    map[8] = 1;
    numbers += 8;
  }
  return maps;
}

// Keras lets the last two numbers of an affine transform shift a channel by its number.
bool shifts_channels(const Tensor& transform) {
  const auto* numbers = transform.mutable_data<float>();
  for (int64_t i = 0; i < transform.size(); i += 8)
    if (numbers[i + 6] != 0 || numbers[i + 7] != 0) return true;
  return false;
}

// Whether the kernel computes in a dtype as tensor operations do.
bool samples_as(DType dtype, const Sampling& how) {
  const bool moves = dtype == DType::uint8 || dtype == DType::int32;
  return dtype == DType::float32 || (!how.linear && moves);
}

// Every `step`-th of `count` elements of that size, to every `to_step`-th of others.
void copy_strided(const std::byte* from, size_t step, std::byte* to, size_t to_step, int64_t count,
                  size_t size) {
  for (int64_t i = 0; i < count; ++i, from += step * size, to += to_step * size)
    std::memcpy(to, from, size);
}

// One channel of an image, moved by its number: the last of the sums is that of a translation, as
// in the tensor operations.
void sample_channel(const Picture& from, const Picture& to, const float* numbers, float channel,
                    const Sampling& how) {
  const float across = channel * numbers[7], down = channel * numbers[6];
  const auto places = backend::image::places_of(
      Homography{numbers[0], numbers[1], across, numbers[3], numbers[4], down, 0, 0, 1}, to.width);
  backend::image::sample(
      from, to,
      [&](int64_t row, float* x, float* y) {
        places(row, x, y);
        for (int64_t i = 0; i < to.width; ++i) {
          x[i] += numbers[2];
          y[i] += numbers[5];
        }
      },
      how);
}

// Each channel as a picture of its own, where it is shifted by its number.
void sample_channels(const Tensor& x, const Tensor& transform, const Tensor& result,
                     const Sampling& how) {
  const size_t size = size_of(x.dtype());
  const auto channels = static_cast<size_t>(x.shape()[3]);
  const int64_t count = x.shape()[0], pixels = x.size() / x.shape()[3];
  std::vector<std::byte> plane(static_cast<size_t>(pixels) * size), moved(plane.size());
  Picture from = first_picture(x), to = from;
  from.channels = to.channels = 1;
  from.data = plane.data();
  to.data = moved.data();
  const auto* numbers = transform.mutable_data<float>();
  const int64_t next = transform.shape()[0] == 1 ? 0 : 8;
  for (size_t c = 0; c < channels; ++c) {
    copy_strided(static_cast<const std::byte*>(x.data()) + c * size, channels, plane.data(), 1,
                 pixels, size);
    for (int64_t i = 0; i < count; ++i)
      sample_channel(nth(from, i), nth(to, i), numbers + i * next, static_cast<float>(c), how);
    copy_strided(moved.data(), 1, static_cast<std::byte*>(result.data()) + c * size, channels,
                 pixels, size);
  }
}

// A batch as pictures: whole images, or with channels first one for each channel.
struct Planes {
  Planes(const Tensor& batch, bool channels_first) {
    const Shape& shape = batch.shape();
    images = shape[0];
    whole = first = first_picture(batch);
    if (!channels_first) return;
    planes = shape[1];
    first = {batch.data(), shape[2], shape[3], 1, batch.dtype()};
  }
  int64_t images, planes = 1;
  Picture whole, first;
};

// How far each pixel of image i is moved, right and down alike: smooth noise.
std::vector<float> field(const Picture& form, backend::Key key, int64_t i, float deviation,
                         std::span<const float> bell) {
  const int64_t pixels = form.height * form.width;
  std::vector<float> noise(static_cast<size_t>(pixels)), smooth(noise.size());
  backend::fill_normal(key, static_cast<uint64_t>(i * pixels), std::span<float>(noise), 0,
                       static_cast<double>(deviation));
  const Picture drawn{noise.data(), form.height, form.width, 1, DType::float32};
  filter_separable(drawn, {smooth.data(), form.height, form.width, 1, DType::float32}, bell, bell,
                   backend::image::Fill::constant);
  return smooth;
}

// A picture moved by `shift`, unless that is empty, and cut.
void distort(const Picture& from, const Picture& to, const std::vector<float>& shift,
             const Distortion& how) {
  std::vector<float> values;
  Picture source = from;
  if (from.dtype != to.dtype) {
    if (shift.empty()) {
      source = to;
    } else {
      values.resize(static_cast<size_t>(from.values()));
      source = {values.data(), from.height, from.width, from.channels, to.dtype};
    }
    for (int64_t y = 0; y < from.height; ++y)
      backend::image::read_row(from, y, 0, from.width, source.row_as<float>(y));
  }
  if (!shift.empty()) {
    backend::image::sample(source, to, backend::image::places_of_even(shift.data(), to.width),
                           how.sampling);
    source = to;
  }
  if (!how.value_range.empty()) {
    const std::vector<float> ones(static_cast<size_t>(to.channels), 1), zeros(ones.size(), 0);
    scale(source, to, ones, zeros, static_cast<float>(how.value_range[0]),
          static_cast<float>(how.value_range[1]));
  } else if (source.data != to.data) {
    std::memcpy(to.data, source.data, to.row_bytes() * static_cast<size_t>(to.height));
  }
}

}  // namespace

Picture first_picture(const Tensor& batch) {
  const Shape& shape = batch.shape();
  return {batch.data(), shape[1], shape[2], shape[3], batch.dtype()};
}

bool host_samples(const Tensor& images, const Tensor& transform, const Sampling& how) {
  return samples_as(images.dtype(), how) && images.size() > 0 &&
         may_run_on_host({images, transform});
}

Tensor sampled_on_host(const Tensor& images, const Tensor& transform, const Sampling& how,
                       bool projective) {
  const TensorSpec spec = images.spec();
  const Tensor inputs[] = {images, transform};
  return apply_host(
      [how, projective](std::span<const Tensor> in, std::span<const Tensor> out) {
        if (!projective && shifts_channels(in[1]))
          return sample_channels(in[0], in[1], out[0], how);
        backend::image::sample_batch(first_picture(in[0]), first_picture(out[0]), in[0].shape()[0],
                                     maps_of(in[1], projective), how);
      },
      inputs, {&spec, 1},
      fmt::format("sample images {} {} {} {}", how.linear, static_cast<int>(how.fill), how.value,
                  projective))[0];
}

bool host_distorts(const Tensor& images, DType dtype, const ElasticDraws& draws,
                   const Distortion& how) {
  const bool widened = images.dtype() == DType::uint8 && dtype == DType::float32;
  return samples_as(dtype, how.sampling) && (images.dtype() == dtype || widened) &&
         (how.value_range.empty() || dtype == DType::float32) &&
         draws.chosen.dtype() == DType::boolean && images.size() > 0 &&
         may_run_on_host({images, draws.key, draws.alpha, draws.sigma, draws.chosen});
}

Tensor distorted_on_host(const Tensor& images, DType dtype, const ElasticDraws& draws,
                         const Distortion& how) {
  const TensorSpec spec{images.shape(), dtype};
  const Tensor inputs[] = {images, draws.key, draws.alpha, draws.sigma, draws.chosen};
  return apply_host(
      [how](std::span<const Tensor> in, std::span<const Tensor> out) {
        const Planes from(in[0], how.channels_first), to(out[0], how.channels_first);
        const auto* const words = in[1].mutable_data<uint32_t>();
        const float alpha = *in[2].mutable_data<float>(), sigma = *in[3].mutable_data<float>();
        const bool* const chosen = in[4].mutable_data<bool>();
        const bool all = in[4].size() == 1;
        const auto reach = std::max<int64_t>(static_cast<int64_t>(std::floor(sigma * 3.0f)), 0);
        const std::vector<float> bell =
            backend::image::bell(2 * reach + 1, static_cast<double>(sigma));
        backend::image::for_each_picture(from.whole, from.images, [&](int64_t i) {
          std::vector<float> shift;
          if (chosen[all ? 0 : i])
            shift = field(from.first, backend::Key{words[0], words[1]}, i, sigma * alpha, bell);
          for (int64_t plane = i * from.planes; plane < (i + 1) * from.planes; ++plane)
            distort(nth(from.first, plane), nth(to.first, plane), shift, how);
        });
      },
      inputs, {&spec, 1},
      fmt::format("distort images {} {} {} {} {}", how.sampling.linear,
                  static_cast<int>(how.sampling.fill), how.sampling.value, how.channels_first,
                  fmt::join(how.value_range, " ")))[0];
}

}  // namespace cornu::detail
