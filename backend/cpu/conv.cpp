// Convolutions: oneDNN and Winograd for float32 and 16-bit floats, plain loops for other types and
// odd cases.
#include <algorithm>
#include <optional>
#include <utility>

#include "allocator.h"
#include "blocks.h"
#include "conv_fusions.h"
#include "convert.h"
#include "kernels.h"
#include "onednn.h"
#include "parallel.h"
#include "prepare_conv.h"
#include "winograd.h"

namespace cornu::backend::cpu {
namespace {

ConvSizes conv_sizes(const Conv& kernel, Operands inputs, Operands outputs) {
  const bool forward = kernel.pass == ConvPass::forward;
  const bool data = kernel.pass == ConvPass::backward_data;
  const Shape x = channels_last_shape(data ? *outputs[0].shape : *inputs[0].shape, kernel.block_x);
  const Shape y = channels_last_shape(forward ? *outputs[0].shape
                                      : data  ? *inputs[0].shape
                                              : *inputs[1].shape,
                                      kernel.block_y);
  const Shape& k = forward || data ? *inputs[1].shape : *outputs[0].shape;
  ConvSizes s{};
  s.pass = static_cast<int64_t>(kernel.pass);
  s.spatial = x.rank() - 2;
  s.bias = kernel.bias && !data;
  s.relu = kernel.relu && forward;
  s.groups = kernel.groups;
  s.batch = x[0];
  s.in_channels = x.back();
  s.out_channels = y.back();
  s.block_x = kernel.block_x;
  s.block_y = kernel.block_y;
  for (int axis = 0; axis < 3; ++axis) {
    const int own = axis - 3 + static_cast<int>(s.spatial);
    const size_t at = static_cast<size_t>(axis), i = static_cast<size_t>(own);
    const bool used = own >= 0;
    s.x[at] = used ? x[own + 1] : 1;
    s.kernel[at] = used ? k[own] : 1;
    s.y[at] = used ? y[own + 1] : 1;
    s.strides[at] = used && i < kernel.strides.size() ? kernel.strides[i] : 1;
    s.dilation[at] = used && i < kernel.dilation.size() ? kernel.dilation[i] : 1;
    s.pad_low[at] = used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0;
    // Only the low padding and the sizes say what is computed. oneDNN wants a high padding that
    // fits them: the smallest that does, or none where x has rows that no window reaches.
    const int64_t reach = (s.kernel[at] - 1) * s.dilation[at] + 1;
    s.pad_high[at] = (s.y[at] - 1) * s.strides[at] + reach - s.x[at] - s.pad_low[at];
    if (s.pad_high[at] < 0 && s.pad_high[at] + s.strides[at] > 0) s.pad_high[at] = 0;
  }
  return s;
}

bool any_empty(const ConvSizes& s) {
  int64_t product = s.batch * s.in_channels * s.out_channels;
  for (size_t axis = 0; axis < 3; ++axis) product *= s.x[axis] * s.kernel[axis] * s.y[axis];
  return product == 0;
}

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

bool fast_conv(const ConvSizes& s, const ConvData& data) {
  const auto winograd = prepare_winograd(s);
  if (winograd == nullptr) return onednn_conv(s, data);
  winograd->run(data);
  return true;
}

void run_as(DType type, const ConvSizes& s, const void* first, const void* second, const void* bias,
            void* out) {
  switch (type) {
    case DType::float32:
      if (any_empty(s) ||
          !fast_conv(s, {static_cast<const float*>(first), static_cast<const float*>(second),
                         static_cast<const float*>(bias), static_cast<float*>(out)}))
        plain<float>(s, first, second, bias, out);
      return;
    case DType::float64:
      return plain<double>(s, first, second, bias, out);
    case DType::uint32:
      return plain<uint32_t>(s, first, second, bias, out);
    default:
      return plain<uint64_t>(s, first, second, bias, out);
  }
}

class ConvExecutable final : public Executable {
 public:
  ConvExecutable(std::unique_ptr<PreparedConv> conv, bool bias, bool forward)
      : conv_(std::move(conv)), bias_(bias), forward_(forward) {}
  void run(void* const* data) override {
    const auto at = [&](int i) { return static_cast<float*>(data[i]); };
    if (bias_ && forward_)
      conv_->run({at(0), at(1), at(2), at(3)});
    else
      conv_->run({at(0), at(1), nullptr, at(2), bias_ ? at(3) : nullptr});
  }
  uint32_t keeps(uint32_t stable) override {
    return forward_ && conv_->reorders_filters() ? stable & 2u : 0;
  }
  void keep(void* const* data) override { conv_->keep_filters(static_cast<float*>(data[1])); }

 private:
  std::unique_ptr<PreparedConv> conv_;
  bool bias_, forward_;
};

}  // namespace

void run(const Conv& kernel, Operands inputs, Operands outputs) {
  if (kernel.pool || gives_bias_gradient(kernel)) return run_fused(kernel, inputs, outputs);
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  const Operand& out = outputs[0];
  if (out.shape->numel() == 0) return;
  const DType type = compute_type(inputs[0].dtype, inputs[1].dtype, out.dtype);
  const void* data[3] = {};
  std::optional<Scratch> copies[3], result;
  for (size_t i = 0; i < (sizes.bias ? 3u : 2u); ++i) {
    data[i] = inputs[i].data;
    if (inputs[i].dtype == type) continue;
    const int64_t count = inputs[i].shape->numel();
    copies[i].emplace(std::max<size_t>(static_cast<size_t>(count) * size_of(type), 1));
    convert(inputs[i].data, inputs[i].dtype, copies[i]->data(), type, count);
    data[i] = copies[i]->data();
  }
  if (out.dtype == type) return run_as(type, sizes, data[0], data[1], data[2], out.data);
  const int64_t count = out.shape->numel();
  result.emplace(static_cast<size_t>(count) * size_of(type));
  run_as(type, sizes, data[0], data[1], data[2], result->data());
  convert(result->data(), type, out.data, out.dtype, count);
}

std::unique_ptr<Executable> prepare_conv(const Conv& kernel, Operands inputs, Operands outputs) {
  if (kernel.pool) return prepare_pooled(kernel, inputs, outputs);
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  const auto is_float32 = [](const Operand& operand) { return operand.dtype == DType::float32; };
  if (!std::all_of(inputs.begin(), inputs.end(), is_float32) || !is_float32(outputs[0]) ||
      any_empty(sizes))
    return nullptr;
  auto conv = prepare_winograd(sizes);
  if (conv == nullptr) conv = prepare_onednn_conv(sizes);
  if (conv == nullptr) return nullptr;
  if (gives_bias_gradient(kernel) && !conv->gives_bias_gradient()) return nullptr;
  return std::make_unique<ConvExecutable>(std::move(conv), sizes.bias != 0,
                                          kernel.pass == ConvPass::forward);
}

std::string conv_method(const Conv& kernel, Operands inputs, Operands outputs) {
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  return prepare_winograd(sizes) != nullptr ? "winograd" : onednn_conv_name(sizes);
}

}  // namespace cornu::backend::cpu
