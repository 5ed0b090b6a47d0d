// Cuts convolutions by images; by rows or channels where images are few; and gradients of large
// filters by output channels.
#include "conv_parts.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cornu::backend::cpu {
namespace {

/// Multiplications worth a call: about 40 microseconds, of which the call itself is one or two.
constexpr int64_t part_work = 4 * 1024 * 1024;
constexpr int64_t most_parts = 64;
/// Multiplications that take as long as one of a depthwise or grouped convolution.
constexpr int64_t grouped_cost = 8;
/// Fewer images than that are cut themselves.
constexpr int64_t few_images = 8;
/// Most parts of one image or of large filters, and how much more work they should have: each reads
/// all filters or all of x anew.
constexpr int64_t most_slices = 8;
constexpr int64_t slice_cost = 2;

int64_t product(const std::array<int64_t, 3>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t filter_elements(const ConvSizes& s) {
  return product(s.kernel) * (s.in_channels / s.groups) * s.out_channels;
}

int64_t wanted_parts(const ConvSizes& s) {
  const int64_t work =
      s.batch * product(s.y) * filter_elements(s) * (s.groups > 1 ? grouped_cost : 1);
  return std::clamp<int64_t>(work / part_work, 1, most_parts);
}

int64_t largest_divisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0) --divisor;
  return divisor;
}

// `images` of the batch, from `image` on. Parts of equal sizes share a plan.
ConvPart image_part(const ConvSizes& s, int64_t image, int64_t images) {
  const int64_t x = image * product(s.x) * s.in_channels;
  const int64_t y = image * product(s.y) * s.out_channels;
  ConvPart part{s};
  part.sizes.batch = images;
  switch (static_cast<ConvPass>(s.pass)) {
    case ConvPass::forward:
      part.first = x;
      part.out = y;
      break;
    case ConvPass::backward_data:
      part.first = y;
      part.out = x;
      break;
    case ConvPass::backward_weights:
      part.first = x;
      part.second = y;
  }
  return part;
}

std::vector<ConvPart> by_images(const ConvSizes& s, int64_t images) {
  std::vector<ConvPart> parts;
  for (int64_t image = 0; image < s.batch; image += images)
    parts.push_back(image_part(s, image, images));
  return parts;
}

// Rows [begin, end) of the results of a forward pass over one image with channels last. Their
// windows may reach fewer rows of padding than the image has.
ConvPart row_part(const ConvPart& image, int64_t begin, int64_t end) {
  ConvPart part = image;
  ConvSizes& s = part.sizes;
  const auto axis = static_cast<size_t>(3 - s.spatial);
  const int64_t inner = product(s.x) / s.x[axis] * s.in_channels;
  const int64_t low = begin * s.strides[axis] - s.pad_low[axis];
  const int64_t high =
      (end - 1) * s.strides[axis] - s.pad_low[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
  const int64_t first = std::clamp<int64_t>(low, 0, s.x[axis]);
  const int64_t last = std::clamp(high, first, s.x[axis]);
  part.first += first * inner;
  part.out += begin * (product(s.y) / s.y[axis]) * s.out_channels;
  s.pad_low[axis] = first - low;
  s.pad_high[axis] = high - last;
  s.x[axis] = last - first;
  s.y[axis] = end - begin;
  return part;
}

// Output channels [begin, end). Blocks of one image are neighbors; other slices have the strides
// of all channels, as the filters have.
ConvPart channel_part(const ConvPart& whole, int64_t begin, int64_t end) {
  ConvPart part = whole;
  const ConvSizes& s = whole.sizes;
  const int64_t y = begin * (s.block_y != 0 ? product(s.y) : 1);
  part.sizes.out_channels = end - begin;
  part.bias = begin;
  if (static_cast<ConvPass>(s.pass) == ConvPass::forward) {
    part.second += begin;
    part.out += y;
  } else {
    part.second += y;
    part.out += begin;
  }
  return part;
}

template <class Cut>
std::vector<ConvPart> slices(const std::vector<ConvPart>& wholes, int64_t size, int64_t step,
                             Cut&& cut) {
  std::vector<ConvPart> parts;
  for (const ConvPart& whole : wholes)
    for (int64_t begin = 0; begin < size; begin += step)
      parts.push_back(cut(whole, begin, std::min(begin + step, size)));
  return parts;
}

// Channels of a slice when there should be `wanted`: whole blocks of what oneDNN takes at once.
int64_t channel_step(const ConvSizes& s, int64_t wanted) {
  constexpr int64_t at_once = 32;
  return divide_up(divide_up(s.out_channels, wanted), at_once) * at_once;
}

// A window that lies in the padding alone, where rows are cut, has no x that oneDNN could read.
bool rows_meet_x(const ConvPart& part) {
  const auto axis = static_cast<size_t>(3 - part.sizes.spatial);
  return part.sizes.x[axis] > 0;
}

ConvParts cut_images(const ConvSizes& s, int64_t wanted) {
  const int64_t each = std::clamp<int64_t>(wanted / slice_cost / s.batch, 1, most_slices);
  const std::vector<ConvPart> images = by_images(s, 1);
  const auto axis = static_cast<size_t>(3 - s.spatial);
  if (s.block_x == 0 && s.block_y == 0 && s.y[axis] > 1) {
    ConvParts rows{slices(images, s.y[axis], divide_up(s.y[axis], each), row_part), false, true};
    if (std::all_of(rows.parts.begin(), rows.parts.end(), rows_meet_x)) return rows;
  } else if (s.block_y != 0 && s.groups == 1 && s.out_channels >= 64) {
    return {slices(images, s.out_channels, channel_step(s, each), channel_part), false, false};
  }
  return {images, false, true};
}

/// Most gradients of the same filters that are added up.
constexpr int64_t most_sums = 16;

ConvParts weight_parts(const ConvSizes& s) {
  const int64_t wanted = std::min(wanted_parts(s), most_sums);
  if (wanted == 1) return {{ConvPart{s}}, false, false};
  // Adding up the gradients of a part costs as much as that many pixels of it.
  constexpr int64_t adding = 1000;
  constexpr int64_t large_filters = 256 * 1024;
  const int64_t least = divide_up(s.groups > 1 ? adding / grouped_cost : adding, product(s.y));
  const bool small = s.groups > 1 || filter_elements(s) <= large_filters;
  if (small && 2 * least <= s.batch) {
    int64_t images = std::max(least, divide_up(s.batch, wanted));
    while (s.batch % images != 0) ++images;
    if (images < s.batch) return {by_images(s, images), true, false};
  }
  const int64_t step = channel_step(s, std::min(wanted, most_slices));
  if (s.groups == 1 && step < s.out_channels)
    return {slices({ConvPart{s}}, s.out_channels, step, channel_part), false, false};
  return {{ConvPart{s}}, false, false};
}

}  // namespace

ConvParts conv_parts_by_images(const ConvSizes& s) {
  return {by_images(s, largest_divisor(s.batch, divide_up(s.batch, wanted_parts(s)))), false, true};
}

ConvParts conv_parts(const ConvSizes& s) {
  if (static_cast<ConvPass>(s.pass) == ConvPass::backward_weights) return weight_parts(s);
  const int64_t wanted = wanted_parts(s);
  if (static_cast<ConvPass>(s.pass) == ConvPass::forward && s.batch < few_images &&
      wanted > s.batch)
    return cut_images(s, wanted);
  return conv_parts_by_images(s);
}

}  // namespace cornu::backend::cpu
