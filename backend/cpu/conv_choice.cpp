// The rules of conv_choice.h. Times in the comments are of one core of a Zen 5 (224 GFLOP/s in
// sgemm with AVX-512), oneDNN 2.6.
#include "conv_choice.h"

#include <algorithm>

namespace cornu::backend::cpu {
namespace {

bool all_equal(const std::array<int64_t, 3>& values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

}  // namespace

// A 1x1 window's backward pass over the weights, when dkernel has at least as many columns as rows:
// sgemm is then 10 to 60 % faster than oneDNN's convolution of data with channels last (64 to 256
// channels on 56x56: 174 against 104 GFLOP/s; AVX2: 109 against 93).
bool is_wide_product(const ConvSizes& s) {
  return static_cast<ConvPass>(s.pass) == ConvPass::backward_weights && s.groups == 1 &&
         s.block_x == 0 && s.block_y == 0 && s.in_channels >= 16 &&
         s.out_channels >= s.in_channels && all_equal(s.kernel, 1) && all_equal(s.strides, 1) &&
         all_equal(s.pad_low, 0) && all_equal(s.pad_high, 0);
}

InlineVector<ConvChoice, 6> conv_choices(const ConvSizes& s) {
  InlineVector<ConvChoice, 6> choices;
  const auto add = [&](int64_t block_x, int64_t block_y) { choices.push_back({block_x, block_y}); };
  // The first layer of a network: blocks would be mostly padding. oneDNN wants x with channels
  // first then, which costs little for so few of them (0.7 ms of 20). Its backward pass over the
  // weights takes that for certain numbers of channels only; channels last beat padded blocks.
  if (s.block_x == 0 && s.in_channels <= 4 && s.groups == 1 && s.block_y != 0) {
    const bool backward = static_cast<ConvPass>(s.pass) == ConvPass::backward_weights;
    if (!backward || s.in_channels == 3 || (s.in_channels < 3 && s.block_y == 16))
      add(any_layout, s.block_y);
    else
      add(0, 0);
  }
  if (s.block_x == s.block_y) {
    add(s.block_x, s.block_y);
  } else {
    // No code works on mixed layouts; a reorder takes a tenth of a convolution's time.
    const int64_t both = std::max(s.block_x, s.block_y);
    add(both, both);
    add(0, 0);
  }
  add(any_layout, any_layout);
  return choices;
}

}  // namespace cornu::backend::cpu
