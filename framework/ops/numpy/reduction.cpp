// Reductions: dtypes, then one Reduce or Cumulative kernel.
#include "reduction.h"

#include <fmt/core.h>

#include <cmath>

#include "../../dispatch/complex.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../operators.h"
#include "complex.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"

namespace cornu::ops {

namespace {

// The forms of one tensor, by which graphs know these ops.
using OfTensor = Tensor (*)(const Tensor&, const Axes&, bool);
using ExtremeOfTensor = Tensor (*)(const Tensor&, const Axes&, bool, std::optional<double>);

using backend::ReduceOp;

Shape reduced(const Shape& shape, const InlineVector<int, 6>& axes, bool keepdims) {
  Shape result;
  size_t next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool gone = next < axes.size() && axes[next] == i;
    if (gone) ++next;
    if (!gone)
      result.push_back(shape[i]);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

// The axes, sorted and counted from the front; errors name the op.
InlineVector<int, 6> resolved_axes(const Tensor& x, const Axes& axis, const char* name) {
  try {
    return axis.resolve(x.rank());
  } catch (const ShapeError& e) {
    throw ShapeError(fmt::format("{}: {}", name, e.what()));
  }
}

Tensor reduce(const char* name, const Tensor& x, ReduceOp op, const Axes& axis, bool keepdims,
              DType output, double scale = 1,
              const backend::ProgramRef& program = backend::program_of(backend::Opcode::identity)) {
  backend::Reduce kernel;
  kernel.program = program;
  kernel.op = op;
  kernel.axes = resolved_axes(x, axis, name);
  kernel.shape = x.shape();
  kernel.scale = scale;
  const bool index = op == ReduceOp::argmax || op == ReduceOp::argmin;
  kernel.compute = compute_type(index || is_float(x.dtype()) ? x.dtype() : output);
  const Shape kept = reduced(x.shape(), kernel.axes, false);
  const Tensor y = apply(kernel, {x}, TensorSpec{kept, output});
  return keepdims ? apply_reshape(y, reduced(x.shape(), kernel.axes, true)) : y;
}

int64_t count(const Tensor& x, const Axes& axis, const char* name) {
  int64_t n = 1;
  for (int a : resolved_axes(x, axis, name)) n *= x.shape()[a];
  return n;
}

DType sum_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::int8:
    case DType::int16:
      return DType::int32;
    case DType::uint8:
    case DType::uint16:
      return DType::uint32;
    default:
      return dtype;
  }
}

bool is_fraction(DType dtype) { return is_float(dtype) || is_complex(dtype); }

DType mean_type(DType dtype) { return is_fraction(dtype) ? dtype : DType::float32; }

void refuse_empty(const Tensor& x, const Axes& axis, const char* name) {
  if (count(x, axis, name) == 0)
    throw ShapeError(
        fmt::format("{}: nothing to choose from in a tensor of shape {}.", name, x.shape().str()));
}

// Floats with a negative number of no size in place of -0.
template <DType dtype>
const backend::ProgramRef& ordered_zeros() {
  static const backend::ProgramRef program =
      backend::Program::make(1, [](const std::vector<Expr>& x) {
        const double least = dtype == DType::float64 ? -0x1p-1022 : -0x1p-126;
        const Expr negative = expr::equal(expr::reciprocal(x[0]), -HUGE_VAL);
        return std::vector<Expr>{expr::select(negative, expr::minimum(x[0], least), x[0])};
      });
  return program;
}

Tensor arg_extreme(const Tensor& x, ReduceOp op, std::optional<int64_t> axis, bool keepdims,
                   const char* name) {
  refuse_empty(x, axis ? Axes(*axis) : Axes(), name);
  return reduce(name, x, op, axis ? Axes(*axis) : Axes(), keepdims, DType::int32, 1,
                !is_float(x.dtype())          ? backend::program_of(backend::Opcode::identity)
                : x.dtype() == DType::float64 ? ordered_zeros<DType::float64>()
                                              : ordered_zeros<DType::float32>());
}

// An extreme of x and of `initial`, which alone it is when x is empty.
Tensor extreme(const Tensor& x, ReduceOp op, const Axes& axis, bool keepdims,
               std::optional<double> initial, const char* name) {
  if (!initial) refuse_empty(x, axis, name);
  if (initial && count(x, axis, name) == 0) {
    Shape shape = x.shape();
    for (int a : axis.resolve(x.rank())) shape[a] = 1;
    const Tensor y = full(shape, Tensor(*initial), x.dtype());
    return keepdims ? y : reshape(y, reduced(x.shape(), axis.resolve(x.rank()), false));
  }
  const Tensor y = reduce(name, x, op, axis, keepdims, x.dtype());
  if (!initial) return y;
  return cast(op == ReduceOp::maximum ? maximum(y, Tensor(*initial)) : minimum(y, Tensor(*initial)),
              x.dtype());
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(OfTensor(&sum), x, axis, keepdims);
  return reduce("sum", x, ReduceOp::sum, axis, keepdims, sum_type(x.dtype()));
}

Tensor prod(const Tensor& x, const Axes& axis, bool keepdims, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&prod, x, axis, keepdims, dtype);
  if (dtype) return reduce("prod", cast(x, *dtype), ReduceOp::product, axis, keepdims, *dtype);
  return reduce("prod", x, ReduceOp::product, axis, keepdims, sum_type(x.dtype()));
}

Tensor mean(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(OfTensor(&mean), x, axis, keepdims);
  const DType dtype = mean_type(x.dtype());
  const int64_t n = count(x, axis, "mean");
  return reduce("mean", is_fraction(x.dtype()) ? x : cast(x, dtype), ReduceOp::sum, axis, keepdims,
                dtype, 1.0 / static_cast<double>(n));
}

Tensor max(const Tensor& x, const Axes& axis, bool keepdims, std::optional<double> initial) {
  if (is_symbolic(x)) return symbolic_call(ExtremeOfTensor(&max), x, axis, keepdims, initial);
  return extreme(x, ReduceOp::maximum, axis, keepdims, initial, "max");
}

Tensor min(const Tensor& x, const Axes& axis, bool keepdims, std::optional<double> initial) {
  if (is_symbolic(x)) return symbolic_call(ExtremeOfTensor(&min), x, axis, keepdims, initial);
  return extreme(x, ReduceOp::minimum, axis, keepdims, initial, "min");
}

Tensor ptp(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&ptp, x, axis, keepdims);
  (void)resolved_axes(x, axis, "ptp");
  return max(x, axis, keepdims) - min(x, axis, keepdims);
}

Condition any(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&any, x, axis, keepdims);
  if (count(x, axis, "any") == 0) return cast(sum(x, axis, keepdims), DType::boolean);
  return reduce("any", cast(x, DType::boolean), ReduceOp::maximum, axis, keepdims, DType::boolean);
}

Condition all(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&all, x, axis, keepdims);
  (void)resolved_axes(x, axis, "all");
  return logical_not(any(logical_not(x), axis, keepdims));
}

Tensor argmax(const Tensor& x, std::optional<int64_t> axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&argmax, x, axis, keepdims);
  return arg_extreme(x, ReduceOp::argmax, axis, keepdims, "argmax");
}

Tensor argmin(const Tensor& x, std::optional<int64_t> axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&argmin, x, axis, keepdims);
  return arg_extreme(x, ReduceOp::argmin, axis, keepdims, "argmin");
}

Tensor var(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&var, x, axis, keepdims);
  (void)resolved_axes(x, axis, "var");
  const Tensor distance = x - mean(x, axis, true);
  // Of complex numbers the squares of distances are real; Keras says complex all the same.
  if (is_complex(x.dtype())) return cast(mean(square(abs(distance)), axis, keepdims), x.dtype());
  return mean(square(distance), axis, keepdims);
}

Tensor std(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&std, x, axis, keepdims);
  (void)resolved_axes(x, axis, "std");
  return sqrt(real(var(x, axis, keepdims)));
}

Tensor count_nonzero(const Tensor& x, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&count_nonzero, x, axis);
  (void)resolved_axes(x, axis, "count_nonzero");
  return sum(cast(x, DType::boolean), axis);
}

namespace {

Tensor cumulative(const Tensor& x, std::optional<int64_t> axis, OptionalDType wanted,
                  bool product) {
  if (!axis) return cumulative(reshape(x, {x.size()}), 0, wanted, product);
  const DType given = wanted.value_or(x.dtype());
  // Truth values are counted, those to which numbers were converted too.
  const DType dtype = given == DType::boolean ? DType::int32 : given;
  const int a = normalize_axis(*axis, x.rank(), product ? "cumprod: axis" : "cumsum: axis");
  return apply(backend::Cumulative{a, product, false}, {cast(cast(x, given), dtype)},
               TensorSpec{x.shape(), dtype});
}

}  // namespace

Tensor cumsum(const Tensor& x, std::optional<int64_t> axis, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&cumsum, x, axis, dtype);
  return cumulative(x, axis, dtype, false);
}

Tensor cumprod(const Tensor& x, std::optional<int64_t> axis, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&cumprod, x, axis, dtype);
  return cumulative(x, axis, dtype, true);
}

void list_numpy_reduction(OpCatalog& catalog) {
  catalog.add("numpy.Sum", {"x", "axis=None", "keepdims=False"}, OfTensor(&sum));
  catalog.add("numpy.Prod", {"x", "axis=None", "keepdims=False", "dtype=None"}, &prod);
  catalog.add("numpy.Mean", {"x", "axis=None", "keepdims=False"}, OfTensor(&mean));
  catalog.add("numpy.Max", {"x", "axis=None", "keepdims=False", "initial=None"},
              ExtremeOfTensor(&max));
  catalog.add("numpy.Min", {"x", "axis=None", "keepdims=False", "initial=None"},
              ExtremeOfTensor(&min));
  catalog.add("numpy.Amax", {"x", "axis=None", "keepdims=False", "initial=None"},
              ExtremeOfTensor(&max));
  catalog.add("numpy.Amin", {"x", "axis=None", "keepdims=False", "initial=None"},
              ExtremeOfTensor(&min));
  catalog.add("numpy.Ptp", {"x", "axis=None", "keepdims=False"}, &ptp);
  catalog.add("numpy.Any", {"x", "axis=None", "keepdims=False"}, &any);
  catalog.add("numpy.All", {"x", "axis=None", "keepdims=False"}, &all);
  catalog.add("numpy.Argmax", {"x", "axis=None", "keepdims=False"}, &argmax);
  catalog.add("numpy.Argmin", {"x", "axis=None", "keepdims=False"}, &argmin);
  catalog.add("numpy.Var", {"x", "axis=None", "keepdims=False"}, &var);
  catalog.add("numpy.Std", {"x", "axis=None", "keepdims=False"}, &std);
  catalog.add("numpy.CountNonzero", {"x", "axis=None"}, &count_nonzero);
  catalog.add("numpy.Cumsum", {"x", "axis=None", "dtype=None"}, &cumsum);
  catalog.add("numpy.Cumprod", {"x", "axis=None", "dtype=None"}, &cumprod);
}

}  // namespace cornu::ops
