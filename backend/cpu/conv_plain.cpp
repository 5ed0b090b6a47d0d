// Convolutions by plain loops over channels last.
#include "conv_plain.h"

#include <algorithm>
#include <optional>

#include "allocator.h"
#include "blocks.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

// Calls f(position in x, position in kernel) for all kernel positions that meet x, for the output
// at (o[0], o[1], o[2]). Positions count pixels.
template <class F>
void each_tap(const ConvSizes& s, const std::array<int64_t, 3>& o, F&& f) {
  for (int64_t k0 = 0; k0 < s.kernel[0]; ++k0) {
    const int64_t x0 = o[0] * s.strides[0] - s.pad_low[0] + k0 * s.dilation[0];
    if (x0 < 0 || x0 >= s.x[0]) continue;
    for (int64_t k1 = 0; k1 < s.kernel[1]; ++k1) {
      const int64_t x1 = o[1] * s.strides[1] - s.pad_low[1] + k1 * s.dilation[1];
      if (x1 < 0 || x1 >= s.x[1]) continue;
      for (int64_t k2 = 0; k2 < s.kernel[2]; ++k2) {
        const int64_t x2 = o[2] * s.strides[2] - s.pad_low[2] + k2 * s.dilation[2];
        if (x2 < 0 || x2 >= s.x[2]) continue;
        f((x0 * s.x[1] + x1) * s.x[2] + x2, (k0 * s.kernel[1] + k1) * s.kernel[2] + k2);
      }
    }
  }
}

struct PlainSizes {
  int64_t x_pixels, y_pixels, taps, in_group, out_group, work;

  explicit PlainSizes(const ConvSizes& s)
      : x_pixels(s.x[0] * s.x[1] * s.x[2]),
        y_pixels(s.y[0] * s.y[1] * s.y[2]),
        taps(s.kernel[0] * s.kernel[1] * s.kernel[2]),
        in_group(s.in_channels / s.groups),
        out_group(s.out_channels / s.groups),
        work(s.batch * y_pixels * taps * in_group * s.out_channels) {}
};

std::array<int64_t, 3> position(const ConvSizes& s, int64_t pixel) {
  return {pixel / s.y[2] / s.y[1], pixel / s.y[2] % s.y[1], pixel % s.y[2]};
}

template <class T>
void plain_forward(const ConvSizes& s, const T* x, const T* kernel, const T* bias, T* y) {
  const PlainSizes p(s);
  parallel_for(s.batch * p.y_pixels, p.work, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      T* const out = y + pixel * s.out_channels;
      for (int64_t o = 0; o < s.out_channels; ++o) out[o] = bias != nullptr ? bias[o] : T(0);
      const T* const image = x + pixel / p.y_pixels * p.x_pixels * s.in_channels;
      each_tap(s, position(s, pixel % p.y_pixels), [&](int64_t x_pixel, int64_t tap) {
        for (int64_t i = 0; i < s.in_channels; ++i) {
          const T value = image[x_pixel * s.in_channels + i];
          const int64_t first = i / p.in_group * p.out_group;
          const T* const row =
              kernel + (tap * p.in_group + i % p.in_group) * s.out_channels + first;
          for (int64_t o = 0; o < p.out_group; ++o) out[first + o] += value * row[o];
        }
      });
      for (int64_t o = 0; s.relu && o < s.out_channels; ++o) out[o] = std::max(out[o], T(0));
    }
  });
}

// Threads share out the images and input channels, so that no two write to one place.
template <class T>
void plain_backward_data(const ConvSizes& s, const T* dy, const T* kernel, T* dx) {
  const PlainSizes p(s);
  parallel_for(s.batch * s.in_channels, p.work, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t i = part % s.in_channels, first = i / p.in_group * p.out_group;
      T* const image = dx + part / s.in_channels * p.x_pixels * s.in_channels + i;
      const T* const dy_image = dy + part / s.in_channels * p.y_pixels * s.out_channels;
      for (int64_t pixel = 0; pixel < p.x_pixels; ++pixel) image[pixel * s.in_channels] = T(0);
      for (int64_t pixel = 0; pixel < p.y_pixels; ++pixel) {
        const T* const gradient = dy_image + pixel * s.out_channels + first;
        each_tap(s, position(s, pixel), [&](int64_t x_pixel, int64_t tap) {
          const T* const row =
              kernel + (tap * p.in_group + i % p.in_group) * s.out_channels + first;
          T sum = 0;
          for (int64_t o = 0; o < p.out_group; ++o) sum += gradient[o] * row[o];
          image[x_pixel * s.in_channels] += sum;
        });
      }
    }
  });
}

// Threads share out the input channels.
template <class T>
void plain_backward_weights(const ConvSizes& s, const T* x, const T* dy, T* dkernel) {
  const PlainSizes p(s);
  std::fill_n(dkernel, p.taps * p.in_group * s.out_channels, T(0));
  parallel_for(s.in_channels, p.work, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = 0; pixel < s.batch * p.y_pixels; ++pixel) {
      const T* const image = x + pixel / p.y_pixels * p.x_pixels * s.in_channels;
      const T* const gradient = dy + pixel * s.out_channels;
      each_tap(s, position(s, pixel % p.y_pixels), [&](int64_t x_pixel, int64_t tap) {
        for (int64_t i = begin; i < end; ++i) {
          const T value = image[x_pixel * s.in_channels + i];
          const int64_t first = i / p.in_group * p.out_group;
          T* const row = dkernel + (tap * p.in_group + i % p.in_group) * s.out_channels + first;
          for (int64_t o = 0; o < p.out_group; ++o) row[o] += value * gradient[first + o];
        }
      });
    }
  });
}

template <class T>
void plain_dense(const ConvSizes& s, const void* first, const void* second, const void* bias,
                 void* out) {
  const T* const a = static_cast<const T*>(first);
  const T* const b = static_cast<const T*>(second);
  switch (static_cast<ConvPass>(s.pass)) {
    case ConvPass::forward:
      return plain_forward(s, a, b, static_cast<const T*>(bias), static_cast<T*>(out));
    case ConvPass::backward_data:
      return plain_backward_data(s, a, b, static_cast<T*>(out));
    case ConvPass::backward_weights:
      return plain_backward_weights(s, a, b, static_cast<T*>(out));
  }
}

// Blocked operands become channels last for the loops.
template <class T>
void plain(const ConvSizes& s, const void* first, const void* second, const void* bias, void* out) {
  const PlainSizes p(s);
  const BlockSizes x{s.batch, s.in_channels, p.x_pixels, s.block_x};
  const BlockSizes y{s.batch, s.out_channels, p.y_pixels, s.block_y};
  const BlockSizes kernel{};
  const auto pass = static_cast<ConvPass>(s.pass);
  const bool data = pass == ConvPass::backward_data;
  const BlockSizes& a = data ? y : x;
  const BlockSizes& b = pass == ConvPass::backward_weights ? y : kernel;
  const BlockSizes& c = pass == ConvPass::forward ? y : data ? x : kernel;
  const auto bytes = [](const BlockSizes& sizes) {
    return std::max<size_t>(static_cast<size_t>(sizes.count()) * sizeof(T), 1);
  };
  std::optional<Scratch> copies[3];
  const void* operands[] = {first, second};
  for (const int i : {0, 1})
    if (const BlockSizes& sizes = i == 0 ? a : b; sizes.block != 0) {
      copies[i].emplace(bytes(sizes));
      unblock(sizes, static_cast<const T*>(operands[i]), static_cast<T*>(copies[i]->data()));
      operands[i] = copies[i]->data();
    }
  if (c.block != 0) copies[2].emplace(bytes(c));
  void* const to = c.block != 0 ? copies[2]->data() : out;
  plain_dense<T>(s, operands[0], operands[1], bias, to);
  if (c.block != 0) make_blocks(c, static_cast<const T*>(to), static_cast<T*>(out));
}

}  // namespace

void plain_conv(DType type, const ConvSizes& s, const void* first, const void* second,
                const void* bias, void* out) {
  switch (type) {
    case DType::float32:
      return plain<float>(s, first, second, bias, out);
    case DType::float64:
      return plain<double>(s, first, second, bias, out);
    case DType::uint32:
      return plain<uint32_t>(s, first, second, bias, out);
    default:
      return plain<uint64_t>(s, first, second, bias, out);
  }
}

}  // namespace cornu::backend::cpu
