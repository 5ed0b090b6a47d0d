// Constant tensors: a broadcast of one number, or values computed on the host.
#include "creation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../integers.h"
#include "../operators.h"
#include "manipulation.h"

namespace cornu {

void detail::check_row(size_t length, size_t first) {
  if (length != first)
    throw ShapeError(fmt::format("array: rows of {} and of {} numbers.", first, length));
}

}  // namespace cornu

namespace cornu::ops {

namespace {

Tensor filled(const Shape& shape, const Tensor& value, DType dtype) {
  return apply(backend::Fused{backend::program_of(backend::Opcode::identity), compute_type(dtype)},
               {value}, TensorSpec{shape, dtype});
}

}  // namespace

Tensor zeros(const Shape& shape, OptionalDType dtype) {
  return filled(shape, Tensor(0.0), dtype.value_or(config::default_dtype()));
}

Tensor ones(const Shape& shape, OptionalDType dtype) {
  return filled(shape, Tensor(1.0), dtype.value_or(config::default_dtype()));
}

Tensor empty(const Shape& shape, OptionalDType dtype) { return zeros(shape, dtype); }

Tensor full(const Shape& shape, const Tensor& value, OptionalDType dtype) {
  if (is_symbolic(value)) return symbolic_call(&full, shape, value, dtype);
  if (value.rank() > 0 && broadcast(value.shape(), shape) != shape)
    throw ShapeError(fmt::format("full: a value of shape {} does not broadcast to {}.",
                                 value.shape().str(), shape.str()));
  const DType type = dtype.value_or(config::default_dtype());
  // Converted first, where the result's type could not compute with the value.
  const bool fraction = is_float(value.dtype()) && !is_float(type);
  return filled(shape, fraction ? cast(value, type) : value, type);
}

Tensor empty_like(const Tensor& x, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&empty_like, x, dtype);
  return zeros(x.shape(), dtype.value_or(x.dtype()));
}

Tensor zeros_like(const Tensor& x, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&zeros_like, x, dtype);
  return zeros(x.shape(), dtype.value_or(x.dtype()));
}

Tensor ones_like(const Tensor& x, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&ones_like, x, dtype);
  return ones(x.shape(), dtype.value_or(x.dtype()));
}

Tensor full_like(const Tensor& x, const Tensor& value, OptionalDType dtype) {
  if (is_symbolic(x, value)) return symbolic_call(&full_like, x, value, dtype);
  return full(x.shape(), value, dtype.value_or(x.dtype()));
}

namespace {

// Fractions of the way from start to stop.
std::vector<double> shares(int64_t num, bool endpoint) {
  if (num < 0) throw ValueError(fmt::format("linspace: num must not be negative, found {}.", num));
  std::vector<double> result(static_cast<size_t>(num));
  const double steps = static_cast<double>(endpoint ? std::max<int64_t>(num - 1, 1) : num);
  for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<double>(i) / steps;
  return result;
}

Tensor line(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, DType dtype,
            int64_t axis) {
  const DType compute = is_float(dtype)         ? dtype
                        : dtype == DType::int64 ? DType::float64
                                                : DType::float32;
  const Shape shape = broadcast(start.shape(), stop.shape());
  const int along = normalize_axis(axis, shape.rank() + 1, "linspace: axis");
  Shape share_shape, bound_shape = shape;
  for (int i = 0; i <= shape.rank(); ++i) share_shape.push_back(i == along ? num : 1);
  bound_shape.insert(along, 1);
  const auto bound = [&](const Tensor& t) {
    return reshape(broadcast_to(cast(t, compute), shape), bound_shape);
  };
  // Both bounds are met exactly.
  const Tensor y =
      fused([](Expr a, Expr b, Expr t) { return a * (1.0 - t) + b * t; }, bound(start), bound(stop),
            cast(reshape(Tensor(shares(num, endpoint)), share_shape), compute));
  if (is_complex(dtype)) return cast(y, dtype);
  return is_float(dtype) ? y : cast(floor(y), dtype);
}

DType line_type(const Tensor& start, const Tensor& stop, OptionalDType dtype) {
  if (dtype) return *dtype;
  const PromotionType types[] = {promotion_type(start), promotion_type(stop)};
  return float_result_type(types);
}

}  // namespace

Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
                OptionalDType dtype, int64_t axis) {
  if (is_symbolic(start, stop))
    return linspace(start, stop, num, endpoint, false, dtype, axis).tensor();
  return line(start, stop, num, endpoint, line_type(start, stop, dtype), axis);
}

Nest linspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, bool retstep,
              OptionalDType dtype, int64_t axis) {
  if (is_symbolic(start, stop))
    return symbolic_call(static_cast<Nest (*)(const Tensor&, const Tensor&, int64_t, bool, bool,
                                              OptionalDType, int64_t)>(&linspace),
                         start, stop, num, endpoint, retstep, dtype, axis);
  const Tensor y = linspace(start, stop, num, endpoint, dtype, axis);
  if (!retstep) return y;
  const int64_t steps = num - (endpoint ? 1 : 0);
  if (steps < 1) return std::vector<Tensor>{y, detail::strong(Tensor(std::nan("")))};
  // Integers' steps are as exact as their quotients in Keras.
  const DType type = line_type(start, stop, dtype);
  const DType fraction = is_float(type)       ? type
                         : size_of(type) >= 4 ? DType::float64
                                              : DType::float32;
  const Tensor distance = subtract(cast(stop, type), cast(start, type));
  return std::vector<Tensor>{
      y, true_divide(cast(distance, fraction), Tensor(static_cast<double>(steps)))};
}

Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, double base,
                OptionalDType dtype, int64_t axis) {
  if (is_symbolic(start, stop))
    return symbolic_call(&logspace, start, stop, num, endpoint, base, dtype, axis);
  const DType type = line_type(start, stop, dtype);
  const DType compute = is_float(type) ? type : DType::float32;
  return cast(power(cast(Tensor(base), compute), line(start, stop, num, endpoint, compute, axis)),
              type);
}

Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
                 OptionalDType dtype, int64_t axis) {
  if (is_symbolic(start, stop))
    return symbolic_call(&geomspace, start, stop, num, endpoint, dtype, axis);
  const DType type = line_type(start, stop, dtype);
  const DType compute = is_float(type) ? type : DType::float32;
  const Tensor first = cast(start, compute), last = cast(stop, compute);
  const Tensor powers =
      line(log10(absolute(first)), log10(absolute(last)), num, endpoint, compute, axis);
  const int along = normalize_axis(axis, powers.rank(), "geomspace: axis");
  const Tensor signs =
      expand_dims(broadcast_to(sign(first), broadcast(start.shape(), stop.shape())), {along});
  return cast(multiply(power(cast(Tensor(10.0), compute), powers), signs), type);
}

namespace {

Tensor steps_from(double start, double stop, double step, DType dtype) {
  if (step == 0) throw ValueError("arange: step must not be 0.");
  const int64_t count =
      std::max<int64_t>(0, static_cast<int64_t>(std::ceil((stop - start) / step)));
  // Integers begin and go on by whole numbers, as in JAX; how many there are is said by all digits.
  if (!is_float(dtype)) {
    start = std::trunc(start);
    step = std::trunc(step);
  }
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[i] = start + static_cast<double>(i) * step;
  return cast(Tensor(values), dtype);
}

}  // namespace

Tensor arange(const Value& start, const Value& stop, const Value& step, OptionalDType dtype) {
  InlineVector<PromotionType, 6> types;
  const auto number = [&](const Value& v, double otherwise) {
    if (v.is_null()) return otherwise;
    const Tensor t = detail::from_value<Tensor>(v);
    types.push_back(promotion_type(t));
    // Only a tensor's value is read, which keeps a function from being compiled.
    return v.is<Tensor>() ? t.item() : detail::from_value<double>(v);
  };
  const double first = number(start, 0), last = number(stop, 0), by = number(step, 1);
  const DType type = dtype ? *dtype : result_type(types);
  return stop.is_null() ? steps_from(0, first, by, type) : steps_from(first, last, by, type);
}

Tensor eye(int64_t rows, std::optional<int64_t> columns, int64_t k, OptionalDType dtype) {
  const int64_t n = columns.value_or(rows);
  std::vector<float> values(static_cast<size_t>(rows * n), 0.0f);
  for (int64_t i = 0; i < rows; ++i)
    if (i + k >= 0 && i + k < n) values[i * n + i + k] = 1.0f;
  return cast(Tensor::from(values, {rows, n}), dtype.value_or(config::default_dtype()));
}

Tensor identity(int64_t n, OptionalDType dtype) { return eye(n, {}, 0, dtype); }

Tensor tri(int64_t rows, std::optional<int64_t> columns, int64_t k, OptionalDType dtype) {
  const Tensor row = arange(rows), column = arange(columns.value_or(rows));
  return cast(greater_equal(reshape(add(row, Tensor(k)), {-1, 1}), column),
              dtype.value_or(config::default_dtype()));
}

namespace {
constexpr std::vector<Tensor> (*meshgrid_of_list)(const std::vector<Tensor>&,
                                                  const std::string&) = &meshgrid;
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing) {
  if (x.empty()) return {};
  if (is_symbolic(x)) return symbolic_call(meshgrid_of_list, x, indexing);
  if (indexing != "xy" && indexing != "ij")
    throw ValueError(fmt::format("meshgrid: indexing must be 'xy' or 'ij', found '{}'.", indexing));
  const int rank = static_cast<int>(x.size());
  Shape shape;
  const auto axis_of = [&](int i) { return indexing == "xy" && rank > 1 && i < 2 ? 1 - i : i; };
  for (int i = 0; i < rank; ++i) shape.push_back(x[static_cast<size_t>(axis_of(i))].size());
  std::vector<Tensor> results;
  for (int i = 0; i < rank; ++i) {
    Shape along;
    for (int k = 0; k < rank; ++k)
      along.push_back(k == axis_of(i) ? x[static_cast<size_t>(i)].size() : 1);
    results.push_back(
        broadcast_to(reshape(detail::strong(x[static_cast<size_t>(i)]), along), shape));
  }
  return results;
}

void list_numpy_creation(OpCatalog& catalog) {
  catalog.add("numpy.Meshgrid", {"*x", "indexing='xy'"}, meshgrid_of_list);
  catalog.add("numpy.Linspace",
              {"start", "stop", "num=50", "endpoint=True", "retstep=False", "dtype=None", "axis=0"},
              static_cast<Nest (*)(const Tensor&, const Tensor&, int64_t, bool, bool, OptionalDType,
                                   int64_t)>(&linspace));
  catalog.add("numpy.Logspace",
              {"start", "stop", "num=50", "endpoint=True", "base=10", "dtype=None", "axis=0"},
              &logspace);
  catalog.add("numpy.Geomspace",
              {"start", "stop", "num=50", "endpoint=True", "dtype=None", "axis=0"}, &geomspace);
  catalog.add("numpy.Full", {"shape", "fill_value", "dtype=None"}, &full);
  catalog.add("numpy.EmptyLike", {"x", "dtype=None"}, &empty_like);
  catalog.add("numpy.Zeros", {"shape", "dtype=None"}, &zeros);
  catalog.add("numpy.Ones", {"shape", "dtype=None"}, &ones);
  catalog.add("numpy.Empty", {"shape", "dtype=None"}, &empty);
  catalog.add("numpy.Eye", {"N", "M=None", "k=0", "dtype=None"}, &eye);
  catalog.add("numpy.Identity", {"n", "dtype=None"}, &identity);
  catalog.add("numpy.Tri", {"N", "M=None", "k=0", "dtype=None"}, &tri);
  catalog.add(
      "numpy.Arange", {"start", "stop=None", "step=None", "dtype=None"},
      static_cast<Tensor (*)(const Value&, const Value&, const Value&, OptionalDType)>(&arange));
  catalog.add("numpy.ZerosLike", {"x", "dtype=None"}, &zeros_like);
  catalog.add("numpy.OnesLike", {"x", "dtype=None"}, &ones_like);
  catalog.add("numpy.FullLike", {"x", "fill_value", "dtype=None"}, &full_like);
}

}  // namespace cornu::ops
