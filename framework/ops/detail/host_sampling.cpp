// Batches through the kernel that samples pictures.
#include "host_sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../../backend/image_batch.h"
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

}  // namespace

Picture first_picture(const Tensor& batch) {
  const Shape& shape = batch.shape();
  return {batch.data(), shape[1], shape[2], shape[3], batch.dtype()};
}

bool host_samples(const Tensor& images, const Tensor& transform, const Sampling& how) {
  const DType dtype = images.dtype();
  const bool moves = dtype == DType::uint8 || dtype == DType::int32;
  return (dtype == DType::float32 || (!how.linear && moves)) && images.size() > 0 &&
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

Tensor displaced_on_host(const Tensor& images, const Tensor& shift, const Sampling& how) {
  const TensorSpec spec = images.spec();
  const Tensor inputs[] = {images, shift};
  return apply_host(
      [how](std::span<const Tensor> in, std::span<const Tensor> out) {
        const Picture from = first_picture(in[0]), to = first_picture(out[0]);
        const auto* shifts = in[1].mutable_data<float>();
        for_each_picture(from, in[0].shape()[0], [&](int64_t i) {
          const float* const steps = shifts + i * from.height * from.width;
          const auto places = [&](int64_t row, float* x, float* y) {
            for (int64_t k = 0; k < from.width; ++k) {
              x[k] = static_cast<float>(k) + steps[row * from.width + k];
              y[k] = static_cast<float>(row) + steps[row * from.width + k];
            }
          };
          backend::image::sample(nth(from, i), nth(to, i), places, how);
        });
      },
      inputs, {&spec, 1},
      fmt::format("displace images {} {} {}", how.linear, static_cast<int>(how.fill),
                  how.value))[0];
}

}  // namespace cornu::detail
