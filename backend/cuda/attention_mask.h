// Masks of attention as numbers that a library adds to the scores: the kernels that make them, pure
// functions of shapes.
#pragma once
#include <vector>

#include "library_layouts.h"

namespace cornu::backend::cuda::cudnn {

/// A library's softmax knows no row that may attend nowhere, which gives the mean of v. Such rows
/// get a q of zeros and nothing to add: the same score for each key. Everywhere else large negative
/// numbers stand for -infinity, which a softmax by parts cannot subtract from itself. Causality is
/// a part of the numbers: the library's own leaves keys after the query out of a mean too.
class MaskPlan {
 public:
  /// The memory that steps read and write. Those until `largest` are kept between runs, because
  /// kernels that reduce use the device's scratch memory; q, logsumexp and dq are operands.
  enum Place { ones, positions, largest, mask, turned, bias, q, shown_q, logsumexp, sums, dq };
  static constexpr int places = dq + 1;

  struct Use {
    Place place;
    Shape shape;
    DType dtype;
  };
  struct Step {
    Kernel kernel;
    std::vector<Use> inputs;
    Use output;
  };

  /// For q (batch, tq, heads, d) of `dtype`, tk keys, and a mask that broadcasts to (batch, heads,
  /// tq, tk).
  MaskPlan(const Attention& attention, DType dtype, const Shape& q, int64_t keys,
           const Shape& mask_shape, DType mask_dtype);

  /// What to do, in this order: `steps[first]` before scratch memory is taken, `steps[before]` the
  /// library's call, `steps[after]` it. The library reads `shown_q`, `bias` and, going backwards,
  /// `sums` in the place of logsumexp.
  enum Phase { first, before, after };
  std::vector<Step> steps[after + 1];

  /// Bytes of a place, 0 where it is an operand's or not used.
  size_t bytes(Place place) const { return bytes_[place]; }
  /// (batch or 1, heads or 1, tq, tk); one row may stand for all queries.
  const Layout& bias_layout() const { return bias_layout_; }
  DType bias_dtype() const { return bias_dtype_; }

 private:
  void add(Phase phase, Kernel kernel, std::vector<Use> inputs, Use output);

  Layout bias_layout_;
  DType bias_dtype_;
  size_t bytes_[places] = {};
};

}  // namespace cornu::backend::cuda::cudnn
