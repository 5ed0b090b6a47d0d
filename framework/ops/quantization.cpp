// Numbers in few bits.
#include "quantization.h"

#include <fmt/core.h>

#include <array>

#include "../dispatch/custom_gradient.h"
#include "../tensor/promotion.h"
#include "catalog.h"
#include "core/cast.h"
#include "detail/sum_to_shape.h"
#include "elementwise.h"
#include "numpy/indexing.h"
#include "numpy/joining.h"
#include "numpy/manipulation.h"
#include "numpy/reduction.h"
#include "operators.h"

namespace cornu::ops {
namespace {

void check_value_range(const std::vector<double>& range, const char* who) {
  if (range.size() != 2 || !(range[0] < range[1]))
    throw ValueError(fmt::format("{}: value_range must be two numbers, the lesser first.", who));
}

void check_byte(DType dtype, const char* who) {
  if (dtype != DType::int8 && dtype != DType::uint8)
    throw ValueError(fmt::format("{}: expected int8 or uint8, found {}.", who, dtype_name(dtype)));
}

Tensor limited(const Tensor& x, const std::vector<double>& range) {
  return fused(
      [](Expr x, Expr low, Expr high) { return expr::minimum(expr::maximum(x, low), high); }, x,
      Tensor(range[0]), Tensor(range[1]));
}

}  // namespace

TensorTuple<2> abs_max_quantize(const Tensor& x, const Axes& axis, const std::vector<double>& range,
                                DTypeName dtype, double epsilon, bool to_numpy) {
  if (is_symbolic(x))
    return symbolic_call(&abs_max_quantize, x, axis, range, dtype, epsilon, to_numpy);
  check_value_range(range, "abs_max_quantize");
  const Tensor scale =
      cast(fused([](Expr most, Expr top, Expr epsilon) { return top / (most + epsilon); },
                 max(absolute(x), axis, true), Tensor(range[1]), Tensor(epsilon)),
           x.dtype());
  return std::vector<Tensor>{cast(limited(detail::round_even(x * scale), range), dtype), scale};
}

TensorTuple<3> abs_max_quantize_grouped_with_zero_point(const Tensor& x, int64_t block,
                                                        const std::vector<double>& range,
                                                        DTypeName dtype, double epsilon,
                                                        bool to_numpy) {
  if (is_symbolic(x))
    return symbolic_call(&abs_max_quantize_grouped_with_zero_point, x, block, range, dtype, epsilon,
                         to_numpy);
  check_value_range(range, "abs_max_quantize_grouped_with_zero_point");
  if (x.rank() != 2 || block < 1)
    throw ShapeError(
        fmt::format("abs_max_quantize_grouped_with_zero_point: expected a matrix and a positive "
                    "block_size, found shape {} and {}.",
                    x.shape().str(), block));
  const int64_t rows = x.shape()[0], columns = x.shape()[1], blocks = (rows + block - 1) / block;
  const Tensor padded = blocks * block > rows ? pad(x, {{0, blocks * block - rows}, {0, 0}}) : x;
  const Tensor grouped = reshape(padded, {blocks, block, columns});
  const Tensor low = min(grouped, 1, true), high = max(grouped, 1, true);
  const Tensor scale = cast((high - low + epsilon) / (range[1] - range[0]), x.dtype());
  const Tensor zero = limited(detail::round_even(-low / scale) + range[0], range);
  const Tensor values = cast(limited(detail::round_even(grouped / scale) + zero, range), dtype);
  const Tensor flat = reshape(values, {blocks * block, columns});
  return std::vector<Tensor>{get_item(flat, Value::List{Slice{0, rows}}), squeeze(scale, 1),
                             cast(squeeze(zero, 1), DType::int8)};
}

Nest pack_int4(const Tensor& arr, int64_t axis, DTypeName dtype) {
  if (is_symbolic(arr)) return symbolic_call(&pack_int4, arr, axis, dtype);
  check_byte(dtype, "pack_int4");
  if (arr.dtype() != dtype)
    throw ValueError(fmt::format("pack_int4: expected {}, found {}.", dtype_name(dtype),
                                 dtype_name(arr.dtype())));
  const int a = normalize_axis(axis, arr.rank(), "pack_int4: axis");
  const int64_t n = arr.shape()[a];
  std::vector<std::vector<int64_t>> widths(static_cast<size_t>(arr.rank()), {0, 0});
  widths[static_cast<size_t>(a)] = {0, n % 2};
  const Tensor even = n % 2 ? pad(arr, widths) : arr;
  Value::List low(static_cast<size_t>(a), Slice{}), high = low;
  low.push_back(Slice{0, {}, 2});
  high.push_back(Slice{1, {}, 2});
  const auto half = [](const Tensor& t) { return bitwise_and(cast(t, DType::int32), 15); };
  const Tensor bytes = half(get_item(even, low)) + half(get_item(even, high)) * 16;
  // A byte above 127 is negative in int8.
  const Tensor packed = dtype == DType::int8
                            ? cast(where(greater(bytes, 127), bytes - 256, bytes), dtype)
                            : cast(bytes, dtype);
  Nest::List sizes;
  for (int64_t s : packed.shape()) sizes.push_back(Tensor(s));
  return Nest(Nest::List{Nest(packed), Nest(sizes), Nest(Tensor(n))});
}

Tensor unpack_int4(const Tensor& packed, int64_t size, int64_t axis, DTypeName dtype) {
  if (is_symbolic(packed)) return symbolic_call(&unpack_int4, packed, size, axis, dtype);
  check_byte(dtype, "unpack_int4");
  check_byte(packed.dtype(), "unpack_int4");
  const int a = normalize_axis(axis, packed.rank(), "unpack_int4: axis");
  const Tensor wide = cast(packed, DType::int32);
  const Tensor low = bitwise_and(wide, 15), high = floor_divide(bitwise_and(wide, 255) - low, 16);
  const auto number = [&](const Tensor& half) {
    return cast(dtype == DType::int8 ? bitwise_xor(half, 8) - 8 : half, dtype);
  };
  Shape shape = packed.shape();
  shape[a] *= 2;
  const Tensor both = reshape(stack({number(low), number(high)}, a + 1), shape);
  Value::List key(static_cast<size_t>(a), Slice{});
  key.push_back(Slice{0, size});
  return get_item(both, key);
}

Tensor dequantize_with_sz_map(const Tensor& x, const Tensor& scale, const Tensor& zero,
                              const Tensor& groups, int64_t axis) {
  if (is_symbolic(x, scale, zero, groups))
    return symbolic_call(&dequantize_with_sz_map, x, scale, zero, groups, axis);
  const Tensor places = cast(groups, DType::int32);
  return fused([](Expr x, Expr zero, Expr scale) { return (x - zero) * scale; },
               cast(x, scale.dtype()), cast(take(zero, places, axis), scale.dtype()),
               take(scale, places, axis));
}

namespace {

// A range whose ends and whose 0 are steps.
struct Nudged {
  Tensor low, high, scale, steps_per_unit;
};

Nudged nudge(const Tensor& low, const Tensor& high, double least, double most) {
  const Tensor scale = (high - low) / (most - least);
  const Tensor zero = detail::round_even(limited(least - low / scale, {least, most}));
  return {(least - zero) * scale, (most - zero) * scale, scale, (most - least) / (high - low)};
}

Tensor to_steps(const Tensor& x, const Nudged& range) {
  const Tensor zero = floor(-range.low * range.steps_per_unit + 0.5);
  const Tensor shifted = minimum(maximum(x, range.low), range.high) - range.low;
  return floor(shifted * range.steps_per_unit - zero + 0.5) * range.scale;
}

// The shape in which one number for each place along the axis meets x.
Shape range_shape(const Shape& x, const Shape& ends, std::optional<int64_t> axis) {
  Shape shape = std::vector<int64_t>(static_cast<size_t>(x.rank()), 1);
  if (axis) {
    const int a = normalize_axis(*axis, x.rank(), "fake_quant_with_min_max_vars: axis");
    shape[a] = x[a];
  }
  if (axis ? ends == Shape{shape.numel()} : ends.numel() == 1) return shape;
  throw ShapeError(fmt::format(
      "fake_quant_with_min_max_vars: expected min_vals and max_vals of {}, found shape {} for "
      "inputs of shape {}.",
      axis ? "shape " + Shape{shape.numel()}.str() : "one element, as there is no axis", ends.str(),
      x.str()));
}

// The sum of dy over all that one end of the range is for.
Tensor sum_to_range(const Tensor& dy, const Shape& range, const TensorSpec& end) {
  return cast(reshape(detail::sum_to_shape(dy, range), end.shape), end.dtype);
}

void check_steps(const Tensor& x, int64_t num_bits, bool narrow) {
  if (!is_float(x.dtype()))
    throw ValueError(fmt::format("fake_quant_with_min_max_vars: expected floats, found {}.",
                                 dtype_name(x.dtype())));
  if (num_bits < (narrow ? 2 : 1) || num_bits > 24)
    throw ValueError(
        fmt::format("fake_quant_with_min_max_vars: num_bits must be {} to 24{}, found {}.",
                    narrow ? 2 : 1, narrow ? " with narrow_range" : "", num_bits));
}

}  // namespace

Tensor fake_quant_with_min_max_vars(const Tensor& inputs, const Tensor& min_vals,
                                    const Tensor& max_vals, int64_t num_bits, bool narrow_range,
                                    std::optional<int64_t> axis) {
  if (is_symbolic(inputs, min_vals, max_vals))
    return symbolic_call(&fake_quant_with_min_max_vars, inputs, min_vals, max_vals, num_bits,
                         narrow_range, axis);
  check_steps(inputs, num_bits, narrow_range);
  const Shape shape = range_shape(inputs.shape(), min_vals.shape(), axis);
  range_shape(inputs.shape(), max_vals.shape(), axis);
  const double least = narrow_range, most = static_cast<double>((int64_t{1} << num_bits) - 1);
  const auto quantize = [&](std::span<const Tensor> given) -> WithGradient {
    const DType wide = result_type(result_type(given[1].dtype(), given[2].dtype()), DType::float32);
    const std::array specs = {given[0].spec(), given[1].spec(), given[2].spec()};
    const auto end = [&](const Tensor& t) { return reshape(cast(t, wide), shape); };
    const Tensor x = cast(given[0], wide);
    const Nudged range = nudge(end(given[1]), end(given[2]), least, most);
    const auto gradient = [x, range, specs](std::span<const Tensor> dy) -> Tensors {
      const Tensor inside = logical_and(greater_equal(x, range.low), less_equal(x, range.high));
      return {
          cast(where(inside, dy[0], 0), specs[0].dtype),
          sum_to_range(where(less_equal(x, range.low), dy[0], 0), range.low.shape(), specs[1]),
          sum_to_range(where(greater_equal(x, range.high), dy[0], 0), range.low.shape(), specs[2])};
    };
    return {{cast(to_steps(x, range), given[0].dtype())}, gradient};
  };
  const Tensor all[] = {inputs, min_vals, max_vals};
  return custom_gradient(all, quantize)[0];
}

void list_quantization(OpCatalog& catalog) {
  catalog.add("quantizers.FakeQuantWithMinMaxVars",
              {"inputs", "min_vals", "max_vals", "num_bits=8", "narrow_range=False", "axis=None"},
              &fake_quant_with_min_max_vars);
  catalog.add("quantizers.AbsMaxQuantize",
              {"inputs", "axis", "value_range=(-127,127)", "dtype='int8'", "epsilon=1e-7",
               "to_numpy=False"},
              &abs_max_quantize);
  catalog.add("quantizers.AbsMaxQuantizeGroupedWithZeroPoint",
              {"inputs", "block_size", "value_range=(-8,7)", "dtype='int8'", "epsilon=1e-7",
               "to_numpy=False"},
              &abs_max_quantize_grouped_with_zero_point);
  catalog.add("quantizers.DequantizeWithSzMap",
              {"weights_matrix", "scale", "zero", "g_idx", "group_axis=-1"},
              &dequantize_with_sz_map);
  catalog.add("quantizers.PackInt4", {"arr", "axis=0", "dtype='int8'"}, &pack_int4);
  catalog.add("quantizers.UnpackInt4", {"packed", "orig_len", "axis=0", "dtype='int8'"},
              &unpack_int4);
}

}  // namespace cornu::ops
