// 8-bit floats: https://arxiv.org/abs/2209.05433.
#include "float8.h"

#include <fmt/core.h>

#include <cmath>

#include "../dispatch/float8.h"
#include "catalog.h"
#include "core/cast.h"
#include "elementwise.h"
#include "numpy/indexing.h"
#include "numpy/joining.h"
#include "numpy/manipulation.h"
#include "numpy/reduction.h"
#include "operators.h"

namespace cornu::ops {
namespace {

DType float8_type(const std::string& dtype) {
  if (dtype == "float8_e4m3fn") return DType::float8_e4m3fn;
  if (dtype == "float8_e5m2") return DType::float8_e5m2;
  throw ValueError(fmt::format("'{}' is no 8-bit float.{} Known are float8_e4m3fn and float8_e5m2.",
                               dtype, did_you_mean(dtype, {"float8_e4m3fn", "float8_e5m2"})));
}

// x / scale within the type's range.
Tensor limited(const Tensor& x, const Tensor& scale, const std::string& quantized) {
  const double most = float8_max(quantized);
  return fused([](Expr x, Expr scale, Expr low,
                  Expr high) { return expr::minimum(expr::maximum(x / scale, low), high); },
               x, scale, Tensor(-most), Tensor(most));
}

}  // namespace

double float8_max(const std::string& dtype) {
  return float8_type(dtype) == DType::float8_e4m3fn ? 448 : 57344;
}

Tensor round_to_float8(const Tensor& x, const std::string& dtype) {
  if (is_symbolic(x)) return symbolic_call(&round_to_float8, x, dtype);
  const Tensor inputs[] = {x};
  return detail::apply_fused_many(float8_rounding(float8_type(dtype)), inputs, x.dtype(),
                                  "round_to_float8")[0];
}

Tensor quantize_to_float8(const Tensor& x, const Tensor& scale, const std::string& quantized) {
  if (is_symbolic(x, scale)) return symbolic_call(&quantize_to_float8, x, scale, quantized);
  return cast(limited(x, cast(scale, x.dtype()), quantized), float8_type(quantized));
}

Tensor quantize_and_dequantize(const Tensor& x, const Tensor& given, const std::string& quantized,
                               DType compute) {
  if (is_symbolic(x, given))
    return symbolic_call(&quantize_and_dequantize, x, given, quantized, compute);
  const Tensor scale = cast(given, compute);
  return fused([](Expr x, Expr scale) { return x * scale; },
               round_to_float8(limited(cast(x, compute), scale, quantized), quantized), scale);
}

Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& most,
                            double margin) {
  if (is_symbolic(amax, scale, most))
    return symbolic_call(&compute_float8_scale, amax, scale, most, margin);
  return fused(
      [](Expr amax, Expr scale, Expr most, Expr spare) {
        Expr inverse = expr::reciprocal(scale);
        Expr fresh = most / amax / spare;
        fresh = expr::select(amax > 0.0, fresh, inverse);
        fresh = expr::select(expr::isfinite(amax), fresh, inverse);
        return expr::reciprocal(fresh);
      },
      amax, scale, most, Tensor(std::exp2(margin)));
}

Tensor compute_float8_amax_history(const Tensor& x, const Tensor& history) {
  if (is_symbolic(x, history)) return symbolic_call(&compute_float8_amax_history, x, history);
  const Tensor largest = reshape(cast(max(absolute(x)), history.dtype()), {1});
  if (history.rank() != 1)
    throw ShapeError("compute_float8_amax_history: expected a vector, found " +
                     history.shape().str() + ".");
  // The oldest place, which the shift brings to the front, makes room for the newest.
  const int64_t n = history.shape()[0];
  if (n < 2) return largest;
  return concatenate({largest, get_item(history, Value::List{Slice{2, {}}}),
                      get_item(history, Value::List{Slice{0, 1}})},
                     0);
}

void list_float8(OpCatalog& catalog) {
  catalog.add("quantizers.RoundToFloat8", {"x", "dtype"}, &round_to_float8);
  catalog.add("quantizers.QuantizeToFloat8", {"inputs", "scale", "quantized_dtype"},
              &quantize_to_float8);
  catalog.add("quantizers.QuantizeAndDequantize",
              {"inputs", "scale", "quantized_dtype", "compute_dtype"}, &quantize_and_dequantize);
  catalog.add("quantizers.ComputeFloat8Scale", {"amax", "scale", "dtype_max", "margin=0"},
              &compute_float8_scale);
  catalog.add("quantizers.ComputeFloat8AmaxHistory", {"x", "amax_history"},
              &compute_float8_amax_history);
}

}  // namespace cornu::ops
