// Softmax and log-softmax of rows: maximum, exponentials and their sum, scale. Beside the rounding
// of x - max, float32 results are within 4 ULP (log-softmax: of 1 or its larger term) for rows of
// any length.
#include <algorithm>
#include <cmath>

#include "interpreter.h"
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/softmax.cpp"
#include <hwy/foreach_target.h>

#include "row_softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <class T>
void softmax_row(const void* x_, void* out_, int64_t n, bool log_form) {
  const T* x = static_cast<const T*>(x_);
  T* out = static_cast<T*>(out_);
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  // Subtracting the largest keeps every exponential at most 1, so none overflows.
  const T shift = largest(x, n);
  const double sum = exponentials(x, shift, log_form ? nullptr : out, n);
  const Vector<T> offset = splat<T>(shift), last = splat<T>(log_form ? std::log(sum) : 1 / sum);
  const T* from = log_form ? x : out;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Vector<T> value = load(from + i);
    store(log_form ? value - offset - last : value * last, out + i);
  }
  if (i < n) {
    const size_t rest = static_cast<size_t>(n - i);
    const Vector<T> value = load_first(from + i, rest, offset);
    store_first(log_form ? value - offset - last : value * last, out + i, rest);
  }
}

void softmax_float32(const void* x, void* out, int64_t n, bool log_form) {
  softmax_row<float>(x, out, n, log_form);
}
void softmax_float64(const void* x, void* out, int64_t n, bool log_form) {
  softmax_row<double>(x, out, n, log_form);
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(softmax_float32);
HWY_EXPORT(softmax_float64);

namespace {

// By two reductions: plans ask for it on devices only that find both in one pass.
void run_sums(Operands inputs, Operands outputs) {
  static const ProgramRef same = Program::make(1, [](const std::vector<Expr>& x) { return x; });
  static const ProgramRef exponentials = Program::make(2, [](const std::vector<Expr>& x) {
    return std::vector<Expr>{expr::exp(x[0] - expr::select(expr::isfinite(x[1]), x[1], 0.0))};
  });
  const Shape& shape = *inputs[0].shape;
  if (shape.rank() == 0) {
    const Shape row{1};
    const Operand x{&row, inputs[0].dtype, inputs[0].data, inputs[0].number};
    return run_sums({&x, 1}, outputs);
  }
  Shape column = shape;
  column[shape.rank() - 1] = 1;
  Operand largest = outputs[0];
  largest.shape = &column;
  const auto reduce = [&](ReduceOp op, const ProgramRef& program, Operands from,
                          const Operand& to) {
    run(Reduce{program, to.dtype, op, {shape.rank() - 1}, shape, 1}, from, {&to, 1});
  };
  const Operand both[] = {inputs[0], largest};
  reduce(ReduceOp::maximum, same, inputs, outputs[0]);
  reduce(ReduceOp::sum, exponentials, both, outputs[1]);
}

}  // namespace

void run(const Softmax& kernel, Operands inputs, Operands outputs) {
  if (kernel.sums) return run_sums(inputs, outputs);
  const Operand& x = inputs[0];
  const Operand& out = outputs[0];
  const int64_t numel = x.shape->numel();
  if (numel == 0) return;
  const int64_t length = x.shape->rank() == 0 ? 1 : x.shape->back();
  const DType compute = x.dtype == DType::float64 ? DType::float64 : DType::float32;
  const auto row = compute == DType::float64 ? HWY_DYNAMIC_DISPATCH(softmax_float64)
                                             : HWY_DYNAMIC_DISPATCH(softmax_float32);
  const int64_t from_bytes = length * static_cast<int64_t>(size_of(x.dtype));
  const int64_t to_bytes = length * static_cast<int64_t>(size_of(out.dtype));
  const bool converts = x.dtype != compute || out.dtype != compute;
  const ConvertTile load = convert_tile(x.dtype, compute), store = convert_tile(compute, out.dtype);
  parallel_for(numel / length, numel * 16, [&](int64_t begin, int64_t end) {
    Frame& frame = thread_frame();
    if (converts) frame.reserve(static_cast<size_t>(length) * size_of(compute));
    for (int64_t r = begin; r < end; ++r) {
      const char* from = static_cast<const char*>(x.data) + r * from_bytes;
      char* to = static_cast<char*>(out.data) + r * to_bytes;
      if (converts) {
        load(from, frame.scratch, length);
        row(frame.scratch, frame.scratch, length, kernel.log);
        store(frame.scratch, to, length);
      } else {
        row(from, to, length, kernel.log);
      }
    }
  });
}

}  // namespace cornu::backend::cpu
#endif
