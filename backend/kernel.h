// The closed set of kernels that a device implements. Everything else in Cornu is composed of them.
// A kernel is a plain description; shapes and dtypes come with the operands.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "dtype.h"
#include "inline_vector.h"
#include "program.h"
#include "shape.h"

namespace cornu::backend {

/// One elementwise program over operands that broadcast to the shape of the outputs. All outputs
/// have the same shape. Operands are converted to `compute` (float32, float64, int32, int64 or
/// uint64) when loaded, and results to the outputs' dtypes when stored.
struct Fused {
  ProgramRef program;              ///< from inputs to outputs
  DType compute = DType::float32;  ///< in which it computes
  friend bool operator==(const Fused& a, const Fused& b) {
    return a.compute == b.compute && (a.program == b.program || *a.program == *b.program);
  }
};

/// The same program over several sets of operands, each with a shape of its own: what an optimizer
/// does to many small variables, or casts of them. Inputs: those of the first set, then those of
/// the second, and so on; outputs likewise. No set reads what another writes.
struct MultiTensorFused {
  Fused each;    ///< run on every set
  int sets = 1;  ///< number of sets
  friend bool operator==(const MultiTensorFused&, const MultiTensorFused&) = default;
};

/// How a Reduce combines values.
enum class ReduceOp : uint8_t { sum, product, maximum, minimum, argmax, argmin };

/// out = scale * reduce(program(in...)) over `axes` of the broadcast shape of the inputs (`shape`).
/// The output has the kept axes only. argmax/argmin take one axis or all, the output is an integer
/// (the first of equal values; NaN wins). An empty reduction gives the operation's neutral element.
struct Reduce {
  ProgramRef program;              ///< one output: what is reduced
  DType compute = DType::float32;  ///< in which the program computes
  ReduceOp op = ReduceOp::sum;     ///< how values are combined
  InlineVector<int, 6> axes;       ///< of `shape`, ascending, not negative
  Shape shape;                     ///< to which the inputs broadcast
  double scale = 1;                ///< factor of the result
  friend bool operator==(const Reduce& a, const Reduce& b) {
    return a.compute == b.compute && a.op == b.op && a.axes == b.axes && a.shape == b.shape &&
           a.scale == b.scale && (a.program == b.program || *a.program == *b.program);
  }
};

/// out (batch..., m, n) = a (batch..., m, k) x b (batch..., k, n) [+ bias (n)]. Transposed operands
/// are stored (batch..., k, m) and (batch..., n, k). Batch axes are equal or 1. Inputs: a, b[,
/// bias].
struct Matmul {
  bool transpose_a = false;  ///< a is stored (batch..., k, m)
  bool transpose_b = false;  ///< b is stored (batch..., n, k)
  bool bias = false;         ///< whether there is a third input
  bool relu = false;         ///< of floats only: negative results become 0, after the bias
  /// What a and b are if they are the bits of 8-bit floats, as uint8; the result is float32 then.
  /// Only where Backend::fusions offers such products.
  std::optional<DType> float8_a = {};
  std::optional<DType> float8_b = {};  ///< of b
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

/// Max or average pooling over 1 to 3 spatial axes, channels last. Padding never counts in an
/// average. Inputs: forward x; backward x, y, dy (the output has the shape of x; the first maximum
/// of a window gets its gradient). Where windows do not overlap, the result of a backward pass may
/// lie over x.
struct Pool {
  bool maximum = true;                ///< else the average
  bool backward = false;              ///< the gradient of x
  InlineVector<int64_t, 3> window;    ///< sizes of a window
  InlineVector<int64_t, 3> strides;   ///< empty: 1
  InlineVector<int64_t, 3> pad_low;   ///< padding before the first element; empty: 0
  InlineVector<int64_t, 3> pad_high;  ///< padding behind the last element; empty: 0
  int64_t block = 0;                  ///< of all operands' channels, as in Conv
  bool relu = false;  ///< backward with `maximum`: also through the relu that made x, so 0 where x
                      ///< is not positive

  /// Whether an element may belong to two windows.
  bool windows_overlap() const {
    for (size_t axis = 0; axis < window.size(); ++axis)
      if (window[axis] > (axis < strides.size() ? strides[axis] : 1)) return true;
    return false;
  }
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// Which result of a convolution a Conv computes.
enum class ConvPass : uint8_t { forward, backward_data, backward_weights };

/// Convolution over 1 to 3 spatial axes, channels last: x (n, spatial..., ci), kernel (spatial...,
/// ci / groups, co), y (n, spatial..., co). Inputs: forward x, kernel[, bias]; backward_data dy,
/// kernel; backward_weights x, dy. The output's shape tells the size that the pass cannot infer.
/// Plans make the forms with `pool` and with a bias in backward_weights where Backend::fusions
/// offers them.
struct Conv {
  ConvPass pass = ConvPass::forward;  ///< which result is computed
  InlineVector<int64_t, 3> strides;   ///< of windows in x; empty: 1
  InlineVector<int64_t, 3> dilation;  ///< distance of a filter's elements in x; empty: 1
  InlineVector<int64_t, 3> pad_low;   ///< zeros before the first element; empty: 0
  InlineVector<int64_t, 3> pad_high;  ///< zeros behind the last element; empty: 0
  int64_t groups = 1;                 ///< channels are cut into so many independent convolutions
  bool bias = false;  ///< forward: adds one; backward_weights: a second output is its gradient,
                      ///< dy's sums (co)
  bool relu = false;  ///< forward only: negative results become 0
  /// When not 0, the channels of x (of y) lie in blocks: (n, channels / block, spatial..., block).
  /// Plans choose this where the device's convolutions are faster so; see Backend::channel_block.
  int64_t block_x = 0;
  /// The same of y.
  int64_t block_y = 0;
  /// Forward only: what is written is the results' pooling, whose own shape is `unpooled` (with
  /// blocks as above).
  std::optional<Pool> pool = {};
  /// The shape of y before pooling.
  Shape unpooled = {};
  friend bool operator==(const Conv&, const Conv&) = default;
};

/// Normalizes to mean 0 and variance 1, then multiplies by `scale` and adds `offset` (both
/// optional, shape (c)). Either each channel (last axis, size c) over all other axes, as batch
/// normalization does, or each row of the last axis. y = (x - mean) / sqrt(variance + epsilon) *
/// scale + offset; the variance is the biased one. Without `centered` the mean is taken as 0 and
/// the variance is the mean of squares. Forward: inputs x[, scale][, offset]; outputs y, mean,
/// variance, the latter two float32 (float64 for float64 x) and shaped (c), or as x without its
/// last axis. Backward, the derivative of y alone: inputs x, mean, variance, dy[, scale]; outputs
/// dx[, dscale][, doffset]. Plans may put elementwise programs of one output in front and behind,
/// which compute in float32 (float64 for float64 x). Their first input is the operand or the result
/// in whose place theirs comes; the others follow after all other inputs, those of `before` first,
/// and have x's shape or one element. y may lie over x, and dx over dy or x.
struct Normalize {
  bool channels = true;   ///< per channel, as batch normalization; else per row
  bool centered = true;   ///< whether the mean is subtracted
  bool scale = true;      ///< whether there is a scale
  bool offset = true;     ///< whether there is an offset
  bool backward = false;  ///< the derivative
  double epsilon = 1e-3;  ///< added to the variance
  int64_t block = 0;      ///< of the channels of x, y, dy and dx, as in Conv; only with `channels`
  ProgramRef before = nullptr;  ///< null: nothing; of x, or backwards of dy
  ProgramRef after = nullptr;   ///< null: nothing; of y, or backwards of dx

  /// Inputs that are not those of the programs.
  int own_inputs() const { return backward ? 4 + scale : 1 + scale + offset; }
  friend bool operator==(const Normalize& a, const Normalize& b) {
    const auto same = [](const ProgramRef& p, const ProgramRef& q) {
      return p == q || (p && q && *p == *q);
    };
    return a.channels == b.channels && a.centered == b.centered && a.scale == b.scale &&
           a.offset == b.offset && a.backward == b.backward && a.epsilon == b.epsilon &&
           a.block == b.block && same(a.before, b.before) && same(a.after, b.after);
  }
};

/// Which recurrence an Rnn computes.
enum class RnnCell : uint8_t { simple, lstm, gru };

/// A recurrent layer over a whole sequence with Keras's gates, tanh, and sigmoids: x (batch, time,
/// in), kernel (in, g * units), recurrent (units, g * units), bias (g * units), where g is 1, 4 (i,
/// f, c, o) or 3 (z, r, h); GRU is the `reset_after` form, whose bias is (2, 3 * units). Forward:
/// inputs x, kernel, recurrent[, bias], h0 (batch, units)[, c0 for LSTM]; outputs y (batch, time,
/// units), h (batch, units)[, c for LSTM], gates (time, batch, g * units; not for simple), extra
/// (time, batch, units; not for simple): what the backward pass wants to know, in a layout of the
/// device's own. Backward: inputs x, kernel, recurrent[, bias], h0[, c0], y, gates, extra (the
/// latter two not for simple), dy, dh[, dc]; outputs dx, dkernel, drecurrent[, dbias], dh0[, dc0].
/// `reverse` walks time backwards; y is then in the order of the walk.
struct Rnn {
  RnnCell cell = RnnCell::lstm;  ///< which recurrence
  bool backward = false;         ///< the derivative
  bool bias = true;              ///< whether there is a bias input
  bool reverse = false;          ///< from the last step to the first
  friend bool operator==(const Rnn&, const Rnn&) = default;
};

/// Scaled dot-product attention: y = softmax(scale * q k' + mask) v per batch and head. q (batch,
/// tq, heads, d), k and v (batch, tk, heads, d); `mask` is boolean (true: may attend) or a float to
/// add, and broadcasts to (batch, heads, tq, tk). `causal`: position i attends to no key after it.
/// A row that may attend nowhere gives the mean of v, as a softmax over equal numbers does.
/// Forward: inputs q, k, v[, mask]; outputs y (batch, tq, heads, d), logsumexp (batch, heads, tq).
/// Backward: inputs q, k, v[, mask], y, logsumexp, dy; outputs dq, dk, dv.
struct Attention {
  double scale = 1;       ///< factor of q k', usually 1 / sqrt(d)
  bool causal = false;    ///< no key after the query
  bool mask = false;      ///< whether there is a mask input
  bool backward = false;  ///< the derivative
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// Softmax or log-softmax over the last axis. With `sums`, which devices offer in Fusions, two
/// outputs in its place, float32 (float64 for float64 x) and one element for each row, of which a
/// log-sum-exp is made: the largest element, and the sum of exp(x - largest), or of exp(x) where
/// the largest is no finite number.
struct Softmax {
  bool log = false;   ///< log-softmax
  bool sums = false;  ///< only what the elements are divided by
  friend bool operator==(const Softmax&, const Softmax&) = default;
};

/// What a Linalg computes.
enum class LinalgOp : uint8_t { cholesky, lu, qr, eigh, svd, solve, solve_triangular };

/// What LAPACK does to matrices a (batch..., m, n), all float32 or all float64:
/// cholesky: l (n, n), lower, with l l' = a, of which the upper triangle is not read.
/// lu: both triangles of p a = l u in one matrix (m, n), and the row that each row was exchanged
/// with, int32 (min(m, n)). qr: q (m, k) of orthonormal columns, r (k, n); k is m if `complete`,
/// else min(m, n). eigh: values (n), ascending, and vectors (n, n) in columns, of the symmetric
/// part of a. svd: u (m, k), s (min(m, n)), descending, v transposed (l, n); k and l are m and n if
/// `complete`, else min(m, n). solve: y with a y = b, for inputs a, b (batch..., n, k).
/// solve_triangular: the same for an a of which only the `lower` or the upper triangle is read.
/// Where there is no answer, or a NaN in the question, results are NaN; but a cholesky of what is
/// not positive definite throws ValueError on the CPU.
struct Linalg {
  LinalgOp op = LinalgOp::solve;  ///< which decomposition
  bool complete = false;          ///< qr, svd: square matrices of vectors
  bool lower = true;              ///< solve_triangular: which triangle is read
  friend bool operator==(const Linalg&, const Linalg&) = default;
};

/// The discrete Fourier transform along the last axis of size n, not scaled: term k is the sum of
/// x_j exp(-2 pi i j k / n), or with the opposite sign if `inverse`. Inputs: re[, im] (batch...,
/// n), float32 or float64; without im the numbers are real. Outputs: re, im (batch..., bins), the
/// first terms; bins is at most n.
struct Fft {
  bool inverse = false;  ///< sign of the exponent; nothing is divided by n
  friend bool operator==(const Fft&, const Fft&) = default;
};

/// A box of elements inside a dense tensor: element (i...) stands at offset + sum(i * strides),
/// counted in elements. Strides may be negative, or zero in a source.
struct View {
  int64_t offset = 0;                ///< of the first element
  InlineVector<int64_t, 6> strides;  ///< by axis
  friend bool operator==(const View&, const View&) = default;
};

/// Copies boxes: part p moves `sizes` elements of input p from `from` to `to` in the output.
/// Elements that no part writes become `fill` (`covers` promises that there are none). Transpose,
/// slice, pad, concatenate, flip, tile and broadcast are all this. Operands have one dtype.
struct Copy {
  /// One box.
  struct Part {
    Shape sizes;  ///< of the box
    View from;    ///< in the input
    View to;      ///< in the output
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;  ///< one for each input; they do not overlap in the output
  Shape shape;              ///< of the output
  double fill = 0;          ///< value of what no part writes
  bool covers = true;       ///< whether the parts write every element
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// Picks slices of x (a..., n, b...) by indices (int32 or int64). Without `along`: out (a...,
/// indices..., b...); with it indices has x's rank and picks single elements along `axis`. Negative
/// indices count from the end; an index out of range is clamped, callers that must fail check
/// first. Inputs: x, indices.
struct Gather {
  int axis = 0;        ///< of x
  bool along = false;  ///< an index for each element, as numpy.take_along_axis
  friend bool operator==(const Gather&, const Gather&) = default;
};

/// How a Scatter combines updates with what is there.
enum class ScatterOp : uint8_t { add, maximum, minimum, set };

/// The reverse of Gather: combines updates into a copy of x at indices. Repeated indices are
/// combined in order. Indices out of range are ignored. Inputs: x, indices, updates (shaped as
/// Gather's output).
struct Scatter {
  int axis = 0;                   ///< of x
  bool along = false;             ///< an index for each element of the updates
  ScatterOp op = ScatterOp::add;  ///< how updates meet what is there
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

/// Sorts along the last axis, stable; NaN counts as the largest. Outputs: values (dtype of x),
/// indices (int32), each with the first `count` elements of every row.
struct Sort {
  bool descending = false;  ///< the largest first
  int64_t count = 0;        ///< elements kept of each row
  friend bool operator==(const Sort&, const Sort&) = default;
};

/// Running sum or product along `axis`, from the end when `reverse`.
struct Cumulative {
  int axis = 0;          ///< not negative
  bool product = false;  ///< else the sum
  bool reverse = false;  ///< from the end
  friend bool operator==(const Cumulative&, const Cumulative&) = default;
};

/// `next_key` makes from a key the next one of a SeedGenerator: uint32 (2).
enum class Distribution : uint8_t {
  bits,
  uniform,
  normal,
  truncated_normal,
  bernoulli,
  randint,
  next_key
};

/// Threefry random numbers from a key (input 0: uint32 (2)); see framework/ops/random/draws.h.
/// `low` and `high` are the bounds of uniform and randint, or the mean and standard deviation of
/// the normals; bernoulli has probability `low`.
struct Random {
  Distribution distribution = Distribution::uniform;  ///< of the elements
  double low = 0;                                     ///< see above
  double high = 1;                                    ///< see above
  friend bool operator==(const Random&, const Random&) = default;
};

/// Any kernel; std::visit over it makes a missing case a compile error.
using Kernel =
    std::variant<Fused, Reduce, Matmul, Conv, Pool, Softmax, Copy, Gather, Scatter, Sort,
                 Cumulative, Random, Normalize, Rnn, Attention, MultiTensorFused, Linalg, Fft>;

/// "matmul", "fused", ...: the kernel's name in errors and reports.
const char* kernel_name(const Kernel& kernel);

}  // namespace cornu::backend
