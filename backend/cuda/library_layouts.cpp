// The layouts of operands for cuDNN.
#include "library_layouts.h"

#include <utility>

namespace cornu::backend::cuda::cudnn {
namespace {

// The sizes of the spatial axes [from, from + count) of `shape`, at least two of them.
std::vector<int64_t> spatial(const Shape& shape, int from, int count) {
  std::vector<int64_t> sizes(count == 1 ? 1 : 0, 1);
  for (int i = 0; i < count; ++i) sizes.push_back(shape[from + i]);
  return sizes;
}

// `first` and `last` are outside and inside of the spatial axes in memory; cuDNN wants `last`
// second.
Layout channels_last(int64_t first, const std::vector<int64_t>& spatial, int64_t last) {
  Layout layout;
  layout.sizes = {first, last};
  layout.sizes.insert(layout.sizes.end(), spatial.begin(), spatial.end());
  layout.strides.assign(layout.sizes.size(), 1);
  int64_t stride = last;
  for (size_t i = layout.sizes.size(); i-- > 2;) {
    layout.strides[i] = stride;
    stride *= layout.sizes[i];
  }
  layout.strides[0] = stride;
  return layout;
}

std::vector<int64_t> per_axis(const InlineVector<int64_t, 3>& values, int64_t added) {
  std::vector<int64_t> result(values.size() == 1 ? 1 : 0, added);
  result.insert(result.end(), values.begin(), values.end());
  return result;
}

// Dense strides of `shape`.
InlineVector<int64_t, 6> strides_of(const Shape& shape) {
  InlineVector<int64_t, 6> strides(static_cast<size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 1; i > 0; --i)
    strides[static_cast<size_t>(i - 1)] = strides[static_cast<size_t>(i)] * shape[i];
  return strides;
}

// Where x starts in its padded form.
View inside(const Conv& conv, const Shape& padded) {
  View view{0, strides_of(padded)};
  for (size_t i = 0; i < conv.pad_low.size(); ++i)
    view.offset += conv.pad_low[i] * view.strides[i + 1];
  return view;
}

// A matrix (rows, columns) transposed.
Copy transpose_copy(int64_t rows, int64_t columns, const Shape& shape) {
  Copy copy;
  copy.parts.push_back({Shape{columns, rows}, View{0, {1, columns}}, View{0, {rows, 1}}});
  copy.shape = shape;
  return copy;
}

}  // namespace

Layout dense_layout(std::vector<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return {std::move(sizes), std::move(strides)};
}

ConvolutionLayouts convolution_layouts(const Conv& conv, const Shape& x, const Shape& kernel,
                                       const Shape& y) {
  const int axes = x.rank() - 2;
  ConvolutionLayouts layouts;
  layouts.x = channels_last(x[0], spatial(x, 1, axes), x.back());
  layouts.kernel = channels_last(kernel.back(), spatial(kernel, 0, axes), kernel[axes]);
  layouts.y = channels_last(y[0], spatial(y, 1, axes), y.back());
  const std::vector<int64_t> ones(layouts.y.sizes.size() - 2, 1);
  layouts.bias = channels_last(1, ones, y.back());
  layouts.geometry = {per_axis(conv.strides, 1), per_axis(conv.dilation, 1),
                      per_axis(conv.pad_low, 0), per_axis(conv.pad_high, 0)};
  return layouts;
}

bool sizes_fit(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y) {
  for (int i = 0; i < x.rank() - 2; ++i) {
    const auto a = static_cast<size_t>(i);
    const int64_t room =
        x[i + 1] + conv.pad_low[a] + conv.pad_high[a] - ((kernel[i] - 1) * conv.dilation[a] + 1);
    if (room < 0 || room / conv.strides[a] + 1 != y[i + 1]) return false;
  }
  return true;
}

Conv without_padding(const Conv& conv) {
  Conv bare = conv;
  for (int64_t& pad : bare.pad_low) pad = 0;
  for (int64_t& pad : bare.pad_high) pad = 0;
  return bare;
}

Shape padded_shape(const Conv& conv, const Shape& x) {
  Shape padded = x;
  for (size_t i = 0; i < conv.pad_low.size(); ++i)
    padded[static_cast<int>(i) + 1] += conv.pad_low[i] + conv.pad_high[i];
  return padded;
}

Copy pad_copy(const Conv& conv, const Shape& x) {
  const Shape padded = padded_shape(conv, x);
  Copy copy;
  copy.parts.push_back({x, View{0, strides_of(x)}, inside(conv, padded)});
  copy.shape = padded;
  copy.covers = false;
  return copy;
}

Copy crop_copy(const Conv& conv, const Shape& x) {
  Copy copy;
  copy.parts.push_back({x, inside(conv, padded_shape(conv, x)), View{0, strides_of(x)}});
  copy.shape = x;
  return copy;
}

Copy kernel_to_library(const Shape& kernel) {
  Shape shape{kernel.back()};
  for (int i = 0; i + 1 < kernel.rank(); ++i) shape.push_back(kernel[i]);
  return transpose_copy(kernel.numel() / kernel.back(), kernel.back(), shape);
}

Copy kernel_from_library(const Shape& kernel) {
  return transpose_copy(kernel.back(), kernel.numel() / kernel.back(), kernel);
}

bool kernel_in_order(const Shape& kernel) {
  return kernel.back() == 1 || kernel.numel() == kernel.back();
}

Layout attention_layout(const Shape& shape, bool exchanged) {
  const int64_t time = shape[1], heads = shape[2], d = shape[3];
  Layout layout{{shape[0], heads, time, d}, {time * heads * d, d, heads * d, 1}};
  if (exchanged) {
    std::swap(layout.sizes[2], layout.sizes[3]);
    std::swap(layout.strides[2], layout.strides[3]);
  }
  return layout;
}

}  // namespace cornu::backend::cuda::cudnn
