// Casts, selections.
#include "cast.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../elementwise.h"
#include "../numpy/logic.h"
#include "../numpy/sets.h"

namespace cornu::ops {

Tensor cast(const Tensor& x, DType dtype) {
  return op(&cast, detail::convert_dtype, x, dtype);
}

Tensor strong(const Tensor& x) { return x.is_weak() ? cast(x, x.dtype()) : x; }

Tensor convert_to_tensor(const Tensor& x, std::optional<DType> dtype) {
  return op(
      &convert_to_tensor,
      [](const Tensor& x, std::optional<DType> dtype) {
        return cast(x, dtype.value_or(x.dtype()));
      },
      x, dtype);
}

namespace {

// The largest finite number of a float type, and how many digits its numbers have.
struct FloatLimits {
  double largest;
  int digits;
};

FloatLimits float_limits(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {65504, 11};
    case DType::bfloat16:
      return {0x1.FEp127, 8};
    case DType::float32:
      return {0x1.FFFFFEp127, 24};
    default:
      return {std::numeric_limits<double>::max(), 53};
  }
}

// Limits of an integer type or bool; those of uint64 are cut to int64's, which is what a constant
// holds.
std::pair<int64_t, int64_t> integer_limits(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  const int bits = static_cast<int>(8 * size_of(dtype));
  if (is_unsigned_int(dtype)) return {0, bits == 64 ? INT64_MAX : (int64_t{1} << bits) - 1};
  return {bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)),
          bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1};
}

// The number of `digits` binary digits that is nearest to x toward zero.
double cut(double x, int digits) {
  int exponent;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)), exponent - digits);
}

}  // namespace

Tensor saturate_cast(const Tensor& x, DType dtype) {
  return op(
      &saturate_cast,
      [](const Tensor& x, DType dtype) {
        const DType from = x.dtype();
        if (from == dtype || from == DType::boolean) return cast(x, dtype);
        // False is 0 and True is 1: what lies below counts as 0.
        if (dtype == DType::boolean) return cast(clip(x, Tensor(0), Tensor(1)), dtype);
        if (!is_float(from)) {
          const auto [low, high] = integer_limits(from);
          if (is_float(dtype)) {
            const double limit = float_limits(dtype).largest;
            if (limit > 2e19) return cast(x, dtype);
            return cast(clip(x, Tensor(std::max(static_cast<double>(low), -limit)),
                             Tensor(std::min(static_cast<double>(high), limit))),
                        dtype);
          }
          const auto [least, most] = integer_limits(dtype);
          return cast(clip(x, Tensor(std::max(low, least)), Tensor(std::min(high, most))), dtype);
        }
        const FloatLimits own = float_limits(from);
        double least, most;
        if (is_float(dtype)) {
          most = float_limits(dtype).largest;
          least = -most;
        } else {
          const auto [low, high] = integer_limits(dtype);
          least = static_cast<double>(low);
          // The integers' greatest may not be a float; the one below it is as near as a float
          // comes.
          most = high == INT64_MAX ? 0x1.FFFFFFFFFFFFFp62 : static_cast<double>(high);
        }
        least = std::max(cut(least, own.digits), -own.largest);
        most = std::min(cut(most, own.digits), own.largest);
        return cast(clip(x, Tensor(least), Tensor(most)), dtype);
      },
      x, dtype);
}

Tensor view(const Tensor& x, std::optional<DType> dtype) {
  return op(
      &view,
      [](const Tensor& given, std::optional<DType> dtype) {
        const Tensor x = strong(given);
        const DType to = dtype.value_or(x.dtype());
        if (to == x.dtype()) return x;
        const int64_t from_size = static_cast<int64_t>(size_of(x.dtype())),
                      to_size = static_cast<int64_t>(size_of(to));
        Shape shape = x.shape();
        if (from_size != to_size) {
          if (shape.empty() || shape.back() * from_size % to_size != 0)
            throw ShapeError(fmt::format(
                "view: the last axis of shape {} in {} is no whole number of elements of {}.",
                shape.str(), dtype_name(x.dtype()), dtype_name(to)));
          shape[shape.rank() - 1] = shape.back() * from_size / to_size;
        }
        const Tensor inputs[] = {
            is_stored_otherwise(x.dtype()) ? apply_view(x, stored_spec(x.spec())) : x};
        const TensorSpec outputs[] = {stored_spec({shape, to})};
        const Tensor y = inputs[0].dtype() == outputs[0].dtype
                             ? apply_reshape(inputs[0], outputs[0].shape)
                             : apply_host(
                                   [](std::span<const Tensor> in, std::span<const Tensor> out) {
                                     if (in[0].bytes() > 0)
                                       std::memcpy(out[0].data(), in[0].data(), in[0].bytes());
                                   },
                                   inputs, outputs, "view")[0];
        return is_stored_otherwise(to) ? apply_view(y, {shape, to}) : y;
      },
      x, dtype);
}

Tensor element_count(const Tensor& x) {
  return op(
      &element_count, [](const Tensor& x) { return strong(Tensor(x.size())); }, x);
}

Tensor stop_gradient(const Tensor& x) {
  return op(
      &stop_gradient, [](const Tensor& x) { return cornu::stop_gradient(x); }, x);
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  return op(
      &where,
      [](const Tensor& condition, const Tensor& x, const Tensor& y) {
        const DType dtype = result_type(x, y);
        const Tensor inputs[] = {cast(condition, DType::boolean), cast(x, dtype), cast(y, dtype)};
        return detail::apply_fused_many(backend::program_of(backend::Opcode::select), inputs, dtype,
                                        "where")[0];
      },
      condition, x, y);
}

Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max) {
  return op(
      &clip,
      [](const Tensor& x, const Tensor& low, const Tensor& high) {
        const DType dtype = x.dtype() == DType::boolean ? DType::int32 : x.dtype();
        static const backend::ProgramRef program =
            backend::Program::make(3, [](const std::vector<Expr>& x) {
              return std::vector<Expr>{expr::minimum(expr::maximum(x[0], x[1]), x[2])};
            });
        const Tensor inputs[] = {x, low, high};
        return detail::apply_fused_many(program, inputs, dtype, "clip")[0];
      },
      x, x_min, x_max);
}

bool all_close(const Tensor& x, const Tensor& y, double rtol, double atol) {
  if (x.shape() != y.shape()) return false;
  if (is_complex(x.dtype()) || is_complex(y.dtype()))
    return allclose(x, y, rtol, atol, true).item() != 0;
  const auto a = x.to_vector<double>(), b = y.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) {
      if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    } else if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= atol + rtol * std::abs(b[i]))) {
      return false;
    }
  }
  return true;
}

namespace {

// As Keras has it: the places of what is not 0 where there is nothing to choose.
Nest listed_where(const Tensor& condition, const std::optional<Tensor>& x1,
                  const std::optional<Tensor>& x2) {
  const bool first = x1 && *x1, second = x2 && *x2;
  if (first != second) throw ValueError("where: x1 and x2 must be given both or not at all.");
  return first ? Nest(where(condition, *x1, *x2)) : Nest(nonzero(condition));
}

// As Keras has it: without a dtype that of floats.
Tensor listed_saturate_cast(const Tensor& x, std::optional<DType> dtype) {
  return saturate_cast(x, dtype.value_or(DType::float32));
}

}  // namespace

void list_core(OpCatalog& catalog) {
  catalog.add("core.Cast", {"x", "dtype"}, &cast);
  catalog.add("core.ConvertToTensor", {"x", "dtype=None"}, &convert_to_tensor);
  catalog.add("numpy.Array", {"x", "dtype=None"}, &convert_to_tensor);
  catalog.add("numpy.Copy", {"x", "dtype=None"}, &convert_to_tensor);
  catalog.add("core.SaturateCast", {"x", "dtype=None"}, &listed_saturate_cast);  // found by name
  catalog.add("core.SaturateCast", {"x", "dtype"}, &saturate_cast);  // found by the function
  catalog.add("numpy.View", {"x", "dtype=None"}, &view);
  catalog.add("core.StopGradient", {"variable"}, &stop_gradient);
  catalog.add("numpy.Size", {"x"}, &element_count);
  catalog.add("numpy.Where", {"condition", "x1=None", "x2=None"}, &listed_where);  // found by name
  catalog.add("numpy.Where", {"condition", "x1=None", "x2=None"}, &where);  // found by the function
  catalog.add("numpy.Clip", {"x", "x_min", "x_max"}, &clip);
}

}  // namespace cornu::ops
