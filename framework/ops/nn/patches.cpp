// Windows and blocks, by Copy kernels.
#include "patches.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../detail/images.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using Pair = std::array<int64_t, 2>;

Pair pair_of(const std::vector<int64_t>& v, const char* name) {
  if (v.size() != 1 && v.size() != 2)
    throw ValueError(fmt::format("{}: expected one number or two, found {}.", name, v.size()));
  return {v[0], v.back()};
}

// Where the windows of an image lie.
struct Windows {
  Pair kernel, dilation, padding, stride;
  Pair padded, count;  // of the image with its padding, and of windows

  Windows(Pair size, const std::vector<int64_t>& k, const std::vector<int64_t>& d,
          const std::vector<int64_t>& p, const std::vector<int64_t>& s, const char* who)
      : kernel(pair_of(k, "kernel_size")),
        dilation(pair_of(d, "dilation")),
        padding(pair_of(p, "padding")),
        stride(pair_of(s, "stride")) {
    for (int i = 0; i < 2; ++i) {
      padded[i] = size[i] + 2 * padding[i];
      if (kernel[i] < 1 || dilation[i] < 1 || padding[i] < 0 || stride[i] < 1)
        throw ShapeError(fmt::format(
            "{}: expected a kernel_size, dilation and stride of at least 1 and a padding of at "
            "least 0, found {}, {}, {} and {}.",
            who, kernel[i], dilation[i], stride[i], padding[i]));
      // A window that does not fit is nowhere.
      const int64_t room = padded[i] - dilation[i] * (kernel[i] - 1) - 1;
      count[i] = room < 0 ? 0 : room / stride[i] + 1;
    }
  }

  int64_t windows() const { return count[0] * count[1]; }
  int64_t area() const { return kernel[0] * kernel[1]; }

  // Pixels of the padded image in the order of the columns: window rows and columns within
  // kernel's.
  Tensor indices() const {
    std::vector<int32_t> result;
    result.reserve(static_cast<size_t>(area() * windows()));
    for (int64_t ky = 0; ky < kernel[0]; ++ky)
      for (int64_t kx = 0; kx < kernel[1]; ++kx)
        for (int64_t y = 0; y < count[0]; ++y)
          for (int64_t x = 0; x < count[1]; ++x)
            result.push_back(static_cast<int32_t>((y * stride[0] + ky * dilation[0]) * padded[1] +
                                                  x * stride[1] + kx * dilation[1]));
    return Tensor(result);
  }
};

void check_rank(const Tensor& x, int rank, const char* who) {
  if (x.rank() != rank)
    throw ShapeError(
        fmt::format("{}: expected {} axes, found shape {}.", who, rank, x.shape().str()));
}

}  // namespace

Tensor unfold(const Tensor& x, const std::vector<int64_t>& kernel_size,
              const std::vector<int64_t>& dilation, const std::vector<int64_t>& padding,
              const std::vector<int64_t>& stride) {
  if (is_symbolic(x)) return symbolic_call(&unfold, x, kernel_size, dilation, padding, stride);
  check_rank(x, 4, "unfold");
  const Shape& s = x.shape();
  const Windows w({s[2], s[3]}, kernel_size, dilation, padding, stride, "unfold");
  const auto [py, px] = w.padding;
  const Tensor padded = py || px ? pad(x, {{0, 0}, {0, 0}, {py, py}, {px, px}}) : x;
  const Tensor flat = reshape(padded, {s[0] * s[1], w.padded[0] * w.padded[1]});
  return reshape(take(flat, w.indices(), 1), {s[0], s[1] * w.area(), w.windows()});
}

Tensor fold(const Tensor& x, const std::vector<int64_t>& output_size,
            const std::vector<int64_t>& kernel_size, const std::vector<int64_t>& dilation,
            const std::vector<int64_t>& padding, const std::vector<int64_t>& stride) {
  if (is_symbolic(x))
    return symbolic_call(&fold, x, output_size, kernel_size, dilation, padding, stride);
  check_rank(x, 3, "fold");
  const Pair size = pair_of(output_size, "output_size");
  const Windows w(size, kernel_size, dilation, padding, stride, "fold");
  const int64_t n = x.shape()[0], c = x.shape()[1] / w.area();
  if (c * w.area() != x.shape()[1] || w.windows() != x.shape()[2])
    throw ShapeError(
        fmt::format("fold: expected x of shape (n, channels * {}, {}) for output_size ({}, {}), "
                    "found {}.",
                    w.area(), w.windows(), size[0], size[1], x.shape().str()));
  const TensorSpec image{{n * c, w.padded[0] * w.padded[1]}, x.dtype()};
  const Tensor sums = apply(
      backend::Scatter{1, false, backend::ScatterOp::add},
      {zeros(image.shape, image.dtype), w.indices(), reshape(x, {n * c, w.area() * w.windows()})},
      image);
  const Tensor padded = reshape(sums, {n, c, w.padded[0], w.padded[1]});
  const auto [py, px] = w.padding;
  if (!py && !px) return padded;
  return get_item(padded,
                  Value::List{Ellipsis{}, Slice{py, py + size[0]}, Slice{px, px + size[1]}});
}

namespace {

void check_block_size(int64_t block_size, const char* op) {
  if (block_size < 2)
    throw ValueError(fmt::format("{}: block_size must be at least 2, found {}.", op, block_size));
}

}  // namespace

Tensor depth_to_space(const Tensor& x, int64_t b, const std::optional<std::string>& data_format) {
  if (is_symbolic(x)) return symbolic_call(&depth_to_space, x, b, data_format);
  check_rank(x, 4, "depth_to_space");
  check_block_size(b, "depth_to_space");
  const bool last = detail::is_channels_last(data_format, "depth_to_space");
  const Shape& s = x.shape();
  const int64_t n = s[0], channels = last ? s[3] : s[1];
  if (channels % (b * b) != 0)
    throw ShapeError(fmt::format(
        "depth_to_space: {} channels are no multiple of block_size^2 = {}.", channels, b * b));
  const int64_t c = channels / (b * b);
  if (last)
    return reshape(transpose(reshape(x, {n, s[1], s[2], b, b, c}), {{0, 1, 3, 2, 4, 5}}),
                   {n, s[1] * b, s[2] * b, c});
  return reshape(transpose(reshape(x, {n, c, b, b, s[2], s[3]}), {{0, 1, 4, 2, 5, 3}}),
                 {n, c, s[2] * b, s[3] * b});
}

Tensor space_to_depth(const Tensor& x, int64_t b, const std::optional<std::string>& data_format) {
  if (is_symbolic(x)) return symbolic_call(&space_to_depth, x, b, data_format);
  check_rank(x, 4, "space_to_depth");
  check_block_size(b, "space_to_depth");
  const bool last = detail::is_channels_last(data_format, "space_to_depth");
  const Shape& s = x.shape();
  const int64_t n = s[0], h = last ? s[1] : s[2], w = last ? s[2] : s[3], c = last ? s[3] : s[1];
  if (h % b != 0 || w % b != 0)
    throw ShapeError(
        fmt::format("space_to_depth: {} x {} pixels are no multiples of block_size {}.", h, w, b));
  if (last)
    return reshape(transpose(reshape(x, {n, h / b, b, w / b, b, c}), {{0, 1, 3, 2, 4, 5}}),
                   {n, h / b, w / b, c * b * b});
  return reshape(transpose(reshape(x, {n, c, h / b, b, w / b, b}), {{0, 1, 3, 5, 2, 4}}),
                 {n, c * b * b, h / b, w / b});
}

void list_nn_patches(OpCatalog& catalog) {
  catalog.add("nn.Unfold", {"x", "kernel_size", "dilation=1", "padding=0", "stride=1"}, &unfold);
  catalog.add("nn.Fold", {"x", "output_size", "kernel_size", "dilation=1", "padding=0", "stride=1"},
              &fold);
  catalog.add("nn.DepthToSpace", {"x", "block_size", "data_format='channels_last'"},
              &depth_to_space);
  catalog.add("nn.SpaceToDepth", {"x", "block_size", "data_format='channels_last'"},
              &space_to_depth);
}

}  // namespace cornu::ops
