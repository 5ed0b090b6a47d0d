// Constant tensors: a broadcast of one number, or values computed on the host.
#include "creation.h"

#include <fmt/core.h>

#include <cmath>

#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../integers.h"
#include "manipulation.h"

namespace cornu {

Tensor detail::arange(double start, double stop, double step, DType dtype) {
  if (step == 0) throw ValueError("arange: step must not be 0.");
  const int64_t count =
      std::max<int64_t>(0, static_cast<int64_t>(std::ceil((stop - start) / step)));
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[i] = start + static_cast<double>(i) * step;
  return ops::cast(Tensor(values), dtype);
}

}  // namespace cornu

namespace cornu::ops {
namespace {

Tensor filled(const Shape& shape, const Tensor& value, DType dtype) {
  return apply(backend::Fused{backend::program_of(backend::Opcode::identity), compute_type(dtype)},
               {value}, TensorSpec{shape, dtype});
}

}  // namespace

Tensor zeros(const Shape& shape, DType dtype) { return filled(shape, Tensor(0.0), dtype); }
Tensor ones(const Shape& shape, DType dtype) { return filled(shape, Tensor(1.0), dtype); }

Tensor full(const Shape& shape, const Tensor& value, std::optional<DType> dtype) {
  return op(
      &full,
      [](const Shape& shape, const Tensor& value, std::optional<DType> dtype) {
        if (value.rank() > 0 && broadcast(value.shape(), shape) != shape)
          throw ShapeError(fmt::format("full: a value of shape {} does not broadcast to {}.",
                                       value.shape().str(), shape.str()));
        const DType type = dtype.value_or(DType::float32);
        // Converted first, where the result's type could not compute with the value.
        const bool fraction = is_float(value.dtype()) && !is_float(type);
        return filled(shape, fraction ? cast(value, type) : value, type);
      },
      shape, value, dtype);
}

Tensor empty_like(const Tensor& x, std::optional<DType> dtype) {
  return op(
      &empty_like,
      [](const Tensor& x, std::optional<DType> dtype) {
        return zeros(x.shape(), dtype.value_or(x.dtype()));
      },
      x, dtype);
}

Tensor zeros_like(const Tensor& x, std::optional<DType> dtype) {
  return op(
      &zeros_like,
      [](const Tensor& x, std::optional<DType> dtype) {
        return zeros(x.shape(), dtype.value_or(x.dtype()));
      },
      x, dtype);
}

Tensor ones_like(const Tensor& x, std::optional<DType> dtype) {
  return op(
      &ones_like,
      [](const Tensor& x, std::optional<DType> dtype) {
        return ones(x.shape(), dtype.value_or(x.dtype()));
      },
      x, dtype);
}

Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype) {
  return op(
      &full_like,
      [](const Tensor& x, const Tensor& value, std::optional<DType> dtype) {
        return full(x.shape(), value, dtype.value_or(x.dtype()));
      },
      x, value, dtype);
}

namespace {

// Shares of the way from start to stop.
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

DType line_type(const Tensor& start, const Tensor& stop, std::optional<DType> dtype) {
  if (dtype) return *dtype;
  const PromotionType types[] = {promotion_type(start), promotion_type(stop)};
  return float_result_type(types);
}

}  // namespace

Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
                std::optional<DType> dtype, int64_t axis) {
  return op(
      &linspace,
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
         std::optional<DType> dtype, int64_t axis) {
        return line(start, stop, num, endpoint, line_type(start, stop, dtype), axis);
      },
      start, stop, num, endpoint, dtype, axis);
}

Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, double base,
                std::optional<DType> dtype, int64_t axis) {
  return op(
      &logspace,
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, double base,
         std::optional<DType> dtype, int64_t axis) {
        const DType type = line_type(start, stop, dtype);
        const DType compute = is_float(type) ? type : DType::float32;
        return cast(
            power(cast(Tensor(base), compute), line(start, stop, num, endpoint, compute, axis)),
            type);
      },
      start, stop, num, endpoint, base, dtype, axis);
}

Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
                 std::optional<DType> dtype, int64_t axis) {
  return op(
      &geomspace,
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint,
         std::optional<DType> dtype, int64_t axis) {
        const DType type = line_type(start, stop, dtype);
        const DType compute = is_float(type) ? type : DType::float32;
        const Tensor first = cast(start, compute), last = cast(stop, compute);
        const Tensor powers =
            line(log2(absolute(first)), log2(absolute(last)), num, endpoint, compute, axis);
        const int along = normalize_axis(axis, powers.rank(), "geomspace: axis");
        const Tensor signs =
            expand_dims(broadcast_to(sign(first), broadcast(start.shape(), stop.shape())), {along});
        return cast(multiply(power(cast(Tensor(2.0), compute), powers), signs), type);
      },
      start, stop, num, endpoint, dtype, axis);
}

Tensor eye(int64_t rows, std::optional<int64_t> columns, int64_t k, DType dtype) {
  const int64_t n = columns.value_or(rows);
  std::vector<float> values(static_cast<size_t>(rows * n), 0.0f);
  for (int64_t i = 0; i < rows; ++i)
    if (i + k >= 0 && i + k < n) values[i * n + i + k] = 1.0f;
  return cast(Tensor::from(values, {rows, n}), dtype);
}

Tensor identity(int64_t n, DType dtype) { return eye(n, {}, 0, dtype); }

Tensor tri(int64_t rows, std::optional<int64_t> columns, int64_t k, DType dtype) {
  const Tensor row = arange(rows), column = arange(columns.value_or(rows));
  return cast(greater_equal(reshape(add(row, Tensor(k)), {-1, 1}), column), dtype);
}

namespace {

// f at the places i / (n - 1), or 1 alone.
template <class F>
Tensor window(int64_t n, const char* name, F f) {
  if (n < 0)
    throw ValueError(
        fmt::format("{}: the number of points must not be negative, found {}.", name, n));
  std::vector<float> values(static_cast<size_t>(n), 1.0f);
  for (int64_t i = 0; n > 1 && i < n; ++i)
    values[static_cast<size_t>(i)] =
        static_cast<float>(f(static_cast<double>(i) / static_cast<double>(n - 1)));
  return Tensor(values);
}

constexpr double turn = 6.283185307179586;

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

}  // namespace

Tensor bartlett(int64_t n) {
  return window(n, "bartlett", [](double t) { return 1 - std::abs(2 * t - 1); });
}

Tensor blackman(int64_t n) {
  return window(n, "blackman", [](double t) {
    return 0.42 - 0.5 * std::cos(turn * t) + 0.08 * std::cos(2 * turn * t);
  });
}

Tensor hamming(int64_t n) {
  return window(n, "hamming", [](double t) { return 0.54 - 0.46 * std::cos(turn * t); });
}

Tensor hanning(int64_t n) {
  return window(n, "hanning", [](double t) { return 0.5 - 0.5 * std::cos(turn * t); });
}

Tensor kaiser(int64_t n, double beta) {
  return window(n, "kaiser", [beta](double t) {
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - (2 * t - 1) * (2 * t - 1)))) /
           bessel_i0(beta);
  });
}

namespace {

// Functions of no tensor are no nodes of graphs; they are listed so that they can be called by
// name.

DType or_float32(std::optional<DType> dtype) { return dtype.value_or(DType::float32); }

Tensor listed_zeros(const Shape& shape, std::optional<DType> dtype) {
  return zeros(shape, or_float32(dtype));
}
Tensor listed_ones(const Shape& shape, std::optional<DType> dtype) {
  return ones(shape, or_float32(dtype));
}
Tensor listed_empty(const Shape& shape, std::optional<DType> dtype) {
  return zeros(shape, or_float32(dtype));
}

Tensor listed_eye(const Integers& rows, const std::optional<Integers>& columns, const Integers& k,
                  std::optional<DType> dtype) {
  return eye(rows.number(), columns ? std::optional(columns->number()) : std::nullopt, k.number(),
             or_float32(dtype));
}

Tensor listed_identity(const Integers& n, std::optional<DType> dtype) {
  return identity(n.number(), or_float32(dtype));
}

Tensor listed_tri(const Integers& rows, const std::optional<Integers>& columns, const Integers& k,
                  std::optional<DType> dtype) {
  return tri(rows.number(), columns ? std::optional(columns->number()) : std::nullopt, k.number(),
             or_float32(dtype));
}

Tensor listed_arange(const Value& start, const Value& stop, const Value& step,
                     std::optional<DType> dtype) {
  InlineVector<PromotionType, 6> types;
  const auto number = [&](const Value& v, double otherwise) {
    if (v.is_null()) return otherwise;
    const Tensor t = detail::from_value<Tensor>(v);
    types.push_back(promotion_type(t));
    return t.item();
  };
  const double first = number(start, 0), last = number(stop, 0), by = number(step, 1);
  const DType type = dtype ? *dtype : result_type(types);
  return stop.is_null() ? arange(0, first, by, type) : arange(first, last, by, type);
}

Nest listed_linspace(const Tensor& start, const Tensor& stop, const Integers& num, bool endpoint,
                     bool retstep, std::optional<DType> dtype, int64_t axis) {
  const Tensor y = linspace(start, stop, num.number(), endpoint, dtype, axis);
  if (!retstep) return y;
  const int64_t steps = num.number() - (endpoint ? 1 : 0);
  if (steps < 1) return std::vector<Tensor>{y, strong(Tensor(std::nan("")))};
  // Integers' steps are as exact as their quotients in Keras.
  const DType type = line_type(start, stop, dtype);
  const DType fraction = is_float(type)       ? type
                         : size_of(type) >= 4 ? DType::float64
                                              : DType::float32;
  const Tensor distance = subtract(cast(stop, type), cast(start, type));
  return std::vector<Tensor>{
      y, true_divide(cast(distance, fraction), Tensor(static_cast<double>(steps)))};
}

Tensor listed_logspace(const Tensor& start, const Tensor& stop, const Integers& num, bool endpoint,
                       double base, std::optional<DType> dtype, int64_t axis) {
  return logspace(start, stop, num.number(), endpoint, base, dtype, axis);
}

Tensor listed_geomspace(const Tensor& start, const Tensor& stop, const Integers& num, bool endpoint,
                        std::optional<DType> dtype, int64_t axis) {
  return geomspace(start, stop, num.number(), endpoint, dtype, axis);
}

// As Keras has it, a fraction counts as the whole number below it.
int64_t points_of(const Value& n) {
  if (!n.is<Tensor>()) return static_cast<int64_t>(detail::from_value<double>(n));
  return detail::from_value<Integers>(Value(cast(n.get<Tensor>(), DType::int32))).number();
}

template <Tensor (*make)(int64_t)>
Tensor listed_window(const Value& n) {
  return make(points_of(n));
}

Tensor listed_kaiser(const Value& n, double beta) { return kaiser(points_of(n), beta); }

}  // namespace

void list_creation(OpCatalog& catalog) {
  catalog.add("numpy.Full", {"shape", "fill_value", "dtype=None"}, &full);
  catalog.add("numpy.EmptyLike", {"x", "dtype=None"}, &empty_like);
  catalog.add("numpy.Zeros", {"shape", "dtype=None"}, &listed_zeros);
  catalog.add("numpy.Ones", {"shape", "dtype=None"}, &listed_ones);
  catalog.add("numpy.Empty", {"shape", "dtype=None"}, &listed_empty);
  catalog.add("numpy.Eye", {"N", "M=None", "k=0", "dtype=None"}, &listed_eye);
  catalog.add("numpy.Identity", {"n", "dtype=None"}, &listed_identity);
  catalog.add("numpy.Tri", {"N", "M=None", "k=0", "dtype=None"}, &listed_tri);
  catalog.add("numpy.Arange", {"start", "stop=None", "step=None", "dtype=None"}, &listed_arange);
  catalog.add("numpy.Linspace",
              {"start", "stop", "num=50", "endpoint=True", "retstep=False", "dtype=None", "axis=0"},
              &listed_linspace);
  catalog.add("numpy.Logspace",
              {"start", "stop", "num=50", "endpoint=True", "base=10", "dtype=None", "axis=0"},
              &listed_logspace);
  catalog.add("numpy.Geomspace",
              {"start", "stop", "num=50", "endpoint=True", "dtype=None", "axis=0"},
              &listed_geomspace);
  // The nodes of these, found by the function.
  catalog.add("numpy.Linspace",
              {"start", "stop", "num=50", "endpoint=True", "dtype=None", "axis=0"}, &linspace);
  catalog.add("numpy.Logspace",
              {"start", "stop", "num=50", "endpoint=True", "base=10", "dtype=None", "axis=0"},
              &logspace);
  catalog.add("numpy.Geomspace",
              {"start", "stop", "num=50", "endpoint=True", "dtype=None", "axis=0"}, &geomspace);
  catalog.add("numpy.Bartlett", {"x"}, &listed_window<&bartlett>);
  catalog.add("numpy.Blackman", {"x"}, &listed_window<&blackman>);
  catalog.add("numpy.Hamming", {"x"}, &listed_window<&hamming>);
  catalog.add("numpy.Hanning", {"x"}, &listed_window<&hanning>);
  catalog.add("numpy.Kaiser", {"x", "beta"}, &listed_kaiser);

  catalog.add("numpy.ZerosLike", {"x", "dtype=None"}, &zeros_like);
  catalog.add("numpy.OnesLike", {"x", "dtype=None"}, &ones_like);
  catalog.add("numpy.FullLike", {"x", "fill_value", "dtype=None"}, &full_like);
}

}  // namespace cornu::ops
