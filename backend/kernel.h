// The closed set of kernels that a device implements. Everything else in Cornu is composed of them.
// A kernel is a plain description; shapes and dtypes come with the operands.
#pragma once
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "dtype.h"
#include "inline_vector.h"
#include "program.h"
#include "shape.h"

namespace cornu::backend {

/// One elementwise program over operands that broadcast to the shape of the outputs. All outputs have
/// the same shape. Operands are converted to `compute` (float32, float64, int32, int64 or uint64) when
/// loaded, and results to the outputs' dtypes when stored.
struct Fused {
  ProgramRef program;
  DType compute = DType::float32;
};

enum class ReduceOp : uint8_t { sum, product, maximum, minimum, argmax, argmin };

/// out = scale * reduce(program(in...)) over `axes` of the broadcast shape of the inputs (`shape`).
/// The output has the kept axes only. argmax/argmin take one axis or all, the output is an integer
/// (the first of equal values; NaN wins). An empty reduction gives the operation's neutral element.
struct Reduce {
  ProgramRef program;
  DType compute = DType::float32;
  ReduceOp op = ReduceOp::sum;
  InlineVector<int, 6> axes;
  Shape shape;
  double scale = 1;
};

/// out (batch..., m, n) = a (batch..., m, k) x b (batch..., k, n) [+ bias (n)]. Transposed operands are
/// stored (batch..., k, m) and (batch..., n, k). Batch axes are equal or 1. Inputs: a, b[, bias].
struct Matmul {
  bool transpose_a = false;
  bool transpose_b = false;
  bool bias = false;
};

enum class ConvPass : uint8_t { forward, backward_data, backward_weights };

/// Convolution over 1 to 3 spatial axes, channels last: x (n, spatial..., ci), kernel (spatial...,
/// ci / groups, co), y (n, spatial..., co). Inputs: forward x, kernel[, bias]; backward_data dy, kernel;
/// backward_weights x, dy. The output's shape tells the size that the pass cannot infer.
struct Conv {
  ConvPass pass = ConvPass::forward;
  InlineVector<int64_t, 3> strides;
  InlineVector<int64_t, 3> dilation;
  InlineVector<int64_t, 3> pad_low;
  InlineVector<int64_t, 3> pad_high;
  int64_t groups = 1;
  bool bias = false;
};

/// Max or average pooling over 1 to 3 spatial axes, channels last. Padding never counts in an average.
/// Inputs: forward x; backward x, y, dy (the output has the shape of x; the first maximum of a window
/// gets its gradient).
struct Pool {
  bool maximum = true;
  bool backward = false;
  InlineVector<int64_t, 3> window;
  InlineVector<int64_t, 3> strides;
  InlineVector<int64_t, 3> pad_low;
  InlineVector<int64_t, 3> pad_high;
};

/// Softmax or log-softmax over the last axis.
struct Softmax {
  bool log = false;
};

/// A box of elements inside a dense tensor: element (i...) stands at offset + sum(i * strides), counted
/// in elements. Strides may be negative, or zero in a source.
struct View {
  int64_t offset = 0;
  InlineVector<int64_t, 6> strides;
};

/// Copies boxes: part p moves `sizes` elements of input p from `from` to `to` in the output. Elements that
/// no part writes become `fill` (`covers` promises that there are none). Transpose, slice, pad, concatenate,
/// flip, tile and broadcast are all this. Operands have one dtype.
struct Copy {
  struct Part {
    Shape sizes;
    View from;
    View to;
  };
  std::vector<Part> parts;
  Shape shape;  ///< of the output
  double fill = 0;
  bool covers = true;
};

/// Picks slices of x (a..., n, b...) by indices (int32 or int64). Without `along`: out (a..., indices...,
/// b...); with it indices has x's rank and picks single elements along `axis`. Negative indices count from
/// the end; an index out of range is clamped, callers that must fail check first. Inputs: x, indices.
struct Gather {
  int axis = 0;
  bool along = false;
};

enum class ScatterOp : uint8_t { add, maximum, minimum, set };

/// The reverse of Gather: combines updates into a copy of x at indices. Repeated indices are combined in
/// order. Indices out of range are ignored. Inputs: x, indices, updates (shaped as Gather's output).
struct Scatter {
  int axis = 0;
  bool along = false;
  ScatterOp op = ScatterOp::add;
};

/// Sorts along the last axis, stable; NaN counts as the largest. Outputs: values (dtype of x), indices
/// (int32), each with the first `count` elements of every row.
struct Sort {
  bool descending = false;
  int64_t count = 0;
};

/// Running sum or product along `axis`, from the end when `reverse`.
struct Cumulative {
  int axis = 0;
  bool product = false;
  bool reverse = false;
};

enum class Distribution : uint8_t { bits, uniform, normal, truncated_normal, bernoulli, randint };

/// Threefry random numbers from a key (input 0: uint32 (2)); see framework/tensor/random.h. `low` and
/// `high` are the bounds of uniform and randint, or the mean and standard deviation of the normals; bernoulli has
/// probability `low`.
struct Random {
  Distribution distribution = Distribution::uniform;
  double low = 0;
  double high = 1;
};

using Kernel = std::variant<Fused, Reduce, Matmul, Conv, Pool, Softmax, Copy, Gather, Scatter, Sort,
                            Cumulative, Random>;

/// "matmul", "fused", ...: the kernel's name in errors and reports.
const char* kernel_name(const Kernel& kernel);

}  // namespace cornu::backend
