// Which algorithm and layouts a convolution is tried with: rules found by benchmarks/conv_bench.
#pragma once
#include "../inline_vector.h"
#include "onednn.h"

namespace cornu::backend::cpu {

/// Layout of an operand inside a plan: a block of channels, 0 for channels last, or this for what
/// oneDNN likes.
inline constexpr int64_t any_layout = -1;

struct ConvChoice {
  int64_t block_x = 0, block_y = 0;
};

/// Whether a pass is a product of matrices that is faster as such.
bool is_wide_product(const ConvSizes& sizes);

/// The choices in the order in which to try them; the first for which oneDNN has fast code is
/// taken.
InlineVector<ConvChoice, 6> conv_choices(const ConvSizes& sizes);

}  // namespace cornu::backend::cpu
