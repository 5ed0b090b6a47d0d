// Every opcode in every compute type against scalar references, special values included.
#include <cornu/backend/cpu/scalar_math.h>
#include <cornu/backend/program.h>

#include <bit>
#include <cfloat>
#include <cmath>

#include "array.h"
#include "catch.h"

namespace opcodes_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

namespace scalar = cornu::backend::cpu::scalar;
constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

double sigmoid(double a) {
  return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a));
}

/// The nearest number of a float with so many digits, ties to even.
double rounded_to(double x, int digits, int least_exponent, double beyond) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1, std::max(std::ilogb(x), least_exponent) - digits + 1);
  const double result = std::nearbyint(x / unit) * unit;
  return std::fabs(result) >= beyond ? std::copysign(inf, x) : result;
}

/// The operation on floats, in double precision.
double float8_bits(double a, DType dtype, int nan_bits) {
  return std::isnan(a) ? nan_bits : float_to_float8(static_cast<float>(a), dtype);
}

double float8_number(double bits, DType dtype) {
  const double byte = bits > 0 ? std::min(bits, 255.0) : 0;
  return static_cast<double>(float8_to_float(static_cast<uint8_t>(byte), dtype));
}

double reference(Opcode op, double a, double b, double c) {
  const bool either_nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case Opcode::identity:
      return a;
    case Opcode::negative:
      return -a;
    case Opcode::absolute:
      return std::fabs(a);
    case Opcode::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case Opcode::square:
      return a * a;
    case Opcode::floor:
      return std::floor(a);
    case Opcode::ceil:
      return std::ceil(a);
    case Opcode::round_even:
      return std::nearbyint(a);
    case Opcode::trunc:
      return std::trunc(a);
    case Opcode::round_bfloat16:
      return rounded_to(a, 8, -126, 0x1p128);
    case Opcode::e4m3_bits:
      return float8_bits(a, DType::float8_e4m3fn, 0x7F);
    case Opcode::e5m2_bits:
      return float8_bits(a, DType::float8_e5m2, 0x7E);
    case Opcode::e4m3_number:
      return float8_number(a, DType::float8_e4m3fn);
    case Opcode::e5m2_number:
      return float8_number(a, DType::float8_e5m2);
    case Opcode::round_float16:
      return rounded_to(a, 11, -14, 0x1p16);
    case Opcode::reciprocal:
      return 1 / a;
    case Opcode::sqrt:
      return std::sqrt(a);
    case Opcode::rsqrt:
      return 1 / std::sqrt(a);
    case Opcode::exp:
      return std::exp(a);
    case Opcode::expm1:
      return std::expm1(a);
    case Opcode::log:
      return std::log(a);
    case Opcode::log1p:
      return std::log1p(a);
    case Opcode::log2:
      return std::log2(a);
    case Opcode::log10:
      return std::log10(a);
    case Opcode::sin:
      return std::sin(a);
    case Opcode::cos:
      return std::cos(a);
    case Opcode::tan:
      return std::tan(a);
    case Opcode::arcsin:
      return std::asin(a);
    case Opcode::arccos:
      return std::acos(a);
    case Opcode::arctan:
      return std::atan(a);
    case Opcode::sinh:
      return std::sinh(a);
    case Opcode::cosh:
      return std::cosh(a);
    case Opcode::tanh:
      return std::tanh(a);
    case Opcode::arcsinh:
      return std::asinh(a);
    case Opcode::arccosh:
      return std::acosh(a);
    case Opcode::arctanh:
      return std::atanh(a);
    case Opcode::erf:
      return std::erf(a);
    case Opcode::erfinv:
      return scalar::erfinv(a);
    case Opcode::lgamma:
      return std::lgamma(a);
    case Opcode::digamma:
      return scalar::digamma(a);
    case Opcode::sigmoid:
      return sigmoid(a);
    case Opcode::softplus:
      return std::fmax(a, 0) + std::log1p(std::exp(-std::fabs(a))) +
             (a - a == 0 ? 0
              : a != a   ? a
                         : 0);
    case Opcode::relu:
      return a > 0 || std::isnan(a) ? a : 0;
    case Opcode::isnan:
      return std::isnan(a);
    case Opcode::isinf:
      return std::isinf(a);
    case Opcode::isfinite:
      return std::isfinite(a);
    case Opcode::logical_not:
      return a == 0;
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      return a * b;
    case Opcode::true_divide:
      return a / b;
    case Opcode::floor_divide:
      return scalar::floor_divide(a, b);
    case Opcode::mod:
      return scalar::mod(a, b);
    case Opcode::power:
      return std::pow(a, b);
    case Opcode::maximum:
      return either_nan ? nan_value : std::fmax(a, b);
    case Opcode::minimum:
      return either_nan ? nan_value : std::fmin(a, b);
    case Opcode::arctan2:
      return std::atan2(a, b);
    case Opcode::equal:
      return a == b;
    case Opcode::not_equal:
      return a != b;
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    case Opcode::greater_equal:
      return a >= b;
    case Opcode::logical_and:
      return a * b;
    case Opcode::logical_or:
      return either_nan ? nan_value : std::fmax(a, b);
    case Opcode::logical_xor:
      return a != b;
    case Opcode::tie_share:
      return a * (1 - b * 0.5);
    case Opcode::fma:
      return std::fma(a, b, c);
    case Opcode::lerp:
      return a + (b - a) * c;
    case Opcode::div_sqrt_eps:
      return a / (std::sqrt(b) + c);
    case Opcode::select:
      return a != 0 ? b : c;
    default:
      return 0;
  }
}

/// The operation on integers; floats' operations are left out.
template <class T>
T integer_reference(Opcode op, T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  const auto wrap = [](U x) { return static_cast<T>(x); };
  switch (op) {
    case Opcode::negative:
      return wrap(U(0) - U(a));
    case Opcode::absolute:
      return a < 0 ? wrap(U(0) - U(a)) : a;
    case Opcode::sign:
      return a > 0 ? 1 : a == 0 ? 0 : static_cast<T>(-1);
    case Opcode::square:
      return wrap(U(a) * U(a));
    case Opcode::relu:
      return a > 0 ? a : 0;
    case Opcode::isnan:
    case Opcode::isinf:
      return 0;
    case Opcode::isfinite:
      return 1;
    case Opcode::logical_not:
      return a == 0;
    case Opcode::bitwise_not:
      return static_cast<T>(~a);
    case Opcode::add:
      return wrap(U(a) + U(b));
    case Opcode::subtract:
      return wrap(U(a) - U(b));
    case Opcode::logical_and:
    case Opcode::multiply:
      return wrap(U(a) * U(b));
    case Opcode::floor_divide: {
      if (b == 0) return 0;
      if (b == static_cast<T>(-1) && std::is_signed_v<T>) return wrap(U(0) - U(a));
      const T q = a / b;
      return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    }
    case Opcode::mod: {
      if (b == 0 || (b == static_cast<T>(-1) && std::is_signed_v<T>)) return 0;
      const T r = a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case Opcode::power: {
      if (b < 0) return a == 1 ? 1 : a == static_cast<T>(-1) ? (b % 2 != 0 ? a : 1) : 0;
      if (b > 100) return scalar::pow(a, b);
      U result = 1;
      for (T i = 0; i < b; ++i) result *= U(a);
      return wrap(result);
    }
    case Opcode::logical_or:
    case Opcode::maximum:
      return a < b ? b : a;
    case Opcode::minimum:
      return b < a ? b : a;
    case Opcode::equal:
      return a == b;
    case Opcode::logical_xor:
    case Opcode::not_equal:
      return a != b;
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    case Opcode::greater_equal:
      return a >= b;
    case Opcode::bitwise_and:
      return a & b;
    case Opcode::bitwise_or:
      return a | b;
    case Opcode::bitwise_xor:
      return a ^ b;
    case Opcode::tie_share:
      return a;
    case Opcode::fma:
      return wrap(U(a) * U(b) + U(c));
    case Opcode::lerp:
      return wrap(U(a) + (U(b) - U(a)) * U(c));
    case Opcode::select:
      return a != 0 ? b : c;
    default:
      return a;  // identity and roundings
  }
}

double ulps(float got, double expected) {
  const float nearest = static_cast<float>(expected);
  if (std::isnan(expected)) return std::isnan(got) ? 0 : 1e9;
  if (got == nearest) return 0;
  if (std::isinf(nearest) || std::isinf(got) || std::isnan(got)) return 1e9;
  const float size = std::max(std::fabs(nearest), std::numeric_limits<float>::min());
  const double unit = std::nextafter(size, HUGE_VALF) - size;
  return std::fabs(static_cast<double>(got) - expected) / unit;
}

// A number below the normal range as zero, which kernels may take it for.
template <class T>
T flushed(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
}

template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Largest error in float32 that the row's comment in vector_math-inl.h states.
double stated_ulps(Opcode op) {
  switch (op) {
    case Opcode::erfinv:
    case Opcode::rsqrt:
    case Opcode::log10:
    case Opcode::log2:
    case Opcode::softplus:
    case Opcode::expm1:
    case Opcode::tanh:
      return 4;
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::arctan:
    case Opcode::sigmoid:
      return 3;
    case Opcode::log1p:
    case Opcode::arcsin:
    case Opcode::arccos:
      return 2.5;
    case Opcode::exp:
    case Opcode::log:
    case Opcode::arctan2:
    case Opcode::erf:
      return 1.5;
    default:
      return 0.51;
  }
}

template <class T>
std::vector<T> read(const Array& array) {
  std::vector<T> values(static_cast<size_t>(array.numel()));
  std::memcpy(values.data(), const_cast<Array&>(array).data(), values.size() * sizeof(T));
  return values;
}

/// Every triple... of `points` in the operands of `op`.
template <class T>
std::vector<std::vector<T>> combinations(int arity, const std::vector<T>& points) {
  std::vector<std::vector<T>> operands(3);
  for (const T& a : points)
    for (const T& b : arity > 1 ? points : std::vector<T>{T(1)})
      for (size_t k = 0; k < (arity > 2 ? points.size() : 1); ++k) {
        operands[0].push_back(a);
        operands[1].push_back(b);
        operands[2].push_back(points[k]);
      }
  return operands;
}

template <class T>
std::vector<T> apply_op(Opcode op, const std::vector<std::vector<T>>& operands) {
  const Shape shape({static_cast<int64_t>(operands[0].size())});
  std::vector<Array> in(3, Array(dtype_for_v<T>, shape));
  std::vector<Array*> inputs;
  for (int k = 0; k < info(op).arity; ++k) {
    std::memcpy(in[k].data(), operands[k].data(), operands[k].size() * sizeof(T));
    inputs.push_back(&in[k]);
  }
  Array out(dtype_for_v<T>, shape);
  run(Fused{program_of(op), dtype_for_v<T>}, inputs, {&out});
  return read<T>(out);
}

template <class T>
void check_integers() {
  const T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  const std::vector<T> points = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 100,
                                 12345,
                                 high,
                                 static_cast<T>(high / 3),
                                 low,
                                 static_cast<T>(-1),
                                 static_cast<T>(-2),
                                 static_cast<T>(-7)};
  for (int i = 0; i < opcode_count; ++i) {
    const Opcode op = static_cast<Opcode>(i);
    if (info(op).domain == Domain::floating && op != Opcode::floor && op != Opcode::ceil &&
        op != Opcode::round_even)
      continue;
    const auto operands = combinations(info(op).arity, points);
    const std::vector<T> got = apply_op(op, operands);
    for (size_t k = 0; k < got.size(); ++k) {
      const T expected = integer_reference(op, operands[0][k], operands[1][k], operands[2][k]);
      if (got[k] != expected) {
        INFO(info(op).name << " " << +operands[0][k] << " " << +operands[1][k] << " "
                           << +operands[2][k]);
        CHECK(+got[k] == +expected);
      }
    }
  }
}

}  // namespace

// The result in float32.
double single_reference(Opcode op, float a, float b, float c) {
  // Float arithmetic overflows where double does not; these are defined by their float operands,
  // the last two by the rounding of each of their steps.
  if (op == Opcode::floor_divide) return scalar::floor_divide<double>(a, b);
  if (op == Opcode::tie_share) return static_cast<double>(a * (1 - b * 0.5f));
  if (op == Opcode::rsqrt) return static_cast<double>(1 / std::sqrt(a));
  if (op == Opcode::lerp) return static_cast<double>(a + (b - a) * c);
  if (op == Opcode::div_sqrt_eps) return static_cast<double>(a / (std::sqrt(b) + c));
  const double result = reference(op, a, b, c);
  return op == Opcode::lgamma || op == Opcode::digamma
             ? static_cast<double>(static_cast<float>(result))
             : result;
}

// In ULP; a result below the normal range may be zero.
double error_from(double expected, float got) {
  if (std::fabs(got) < FLT_MIN && std::fabs(expected) < FLT_MIN) return 0;
  return ulps(got, expected);
}

TEST_CASE("every opcode in float32 is as accurate as stated, special values included") {
  std::vector<float> points = {0.f,
                               -0.f,
                               1.f,
                               -1.f,
                               0.5f,
                               -0.5f,
                               1.5f,
                               2.5f,
                               -2.5f,
                               3.f,
                               88.8f,
                               -87.5f,
                               -103.f,
                               1e-40f,
                               -1e-42f,
                               1e-30f,
                               1e30f,
                               -1e30f,
                               3e38f,
                               40000.f,
                               -1e6f,
                               0.93f,
                               3.95f,
                               static_cast<float>(inf),
                               static_cast<float>(-inf),
                               std::nanf("")};
  std::mt19937 generator(1);
  std::vector<float> many = points;
  for (int i = 0; i < 40000; ++i) {
    const float m = std::uniform_real_distribution<float>(-2, 2)(generator);
    many.push_back(std::ldexp(m, static_cast<int>(generator() % 24) - 16));
  }
  for (int i = 0; i < opcode_count; ++i) {
    const Opcode op = static_cast<Opcode>(i);
    if (info(op).domain == Domain::integer) continue;
    const auto operands = combinations(info(op).arity, info(op).arity == 1 ? many : points);
    const std::vector<float> got = apply_op(op, operands);
    double worst = 0;
    size_t at = 0;
    for (size_t k = 0; k < got.size(); ++k) {
      const float a = operands[0][k], b = operands[1][k], c = operands[2][k];
      // Without a fused instruction the portable code rounds twice.
      if (op == Opcode::fma && same(got[k], a * b + c)) continue;
      const double error =
          std::min(error_from(single_reference(op, a, b, c), got[k]),
                   error_from(single_reference(op, flushed(a), flushed(b), flushed(c)), got[k]));
      if (error > worst) worst = error, at = k;
    }
    INFO(info(op).name << ": " << worst << " ULP at " << operands[0][at] << ", " << operands[1][at]
                       << ", " << operands[2][at] << " gives " << got[at]);
    CHECK(worst <= stated_ulps(op));
  }
}

TEST_CASE("every opcode in float64 is close to the standard library") {
  std::vector<double> points = {0.,     -0., 1.,    -1.,   0.5,    -0.5,    1.5,      2.5,
                                -2.5,   3.,  709.5, -708., 1e-310, -1e-315, 1e-300,   1e300,
                                -1e300, 1e9, -1e6,  0.93,  inf,    -inf,    nan_value};
  std::mt19937 generator(2);
  std::vector<double> many = points;
  for (int i = 0; i < 5000; ++i)
    many.push_back(std::ldexp(std::uniform_real_distribution<double>(-2, 2)(generator),
                              static_cast<int>(generator() % 24) - 16));
  for (int i = 0; i < opcode_count; ++i) {
    const Opcode op = static_cast<Opcode>(i);
    if (info(op).domain == Domain::integer) continue;
    const auto operands = combinations(info(op).arity, info(op).arity == 1 ? many : points);
    const std::vector<double> got = apply_op(op, operands);
    double worst = 0;
    size_t at = 0;
    for (size_t k = 0; k < got.size(); ++k) {
      const double expected = reference(op, operands[0][k], operands[1][k], operands[2][k]);
      if (op == Opcode::fma && same(got[k], operands[0][k] * operands[1][k] + operands[2][k]))
        continue;
      const double flushed_expected =
          reference(op, flushed(operands[0][k]), flushed(operands[1][k]), flushed(operands[2][k]));
      const auto error_from = [&](double wanted) -> double {
        if (same(got[k], wanted)) return 0;
        if (std::fabs(got[k]) < DBL_MIN && std::fabs(wanted) < DBL_MIN) return 0;
        if (!std::isfinite(got[k]) || !std::isfinite(wanted)) return 1;
        return std::fabs(got[k] - wanted) / std::max(std::fabs(wanted), 1e-300);
      };
      const double error = std::min(error_from(expected), error_from(flushed_expected));
      if (error > worst) worst = error, at = k;
    }
    INFO(info(op).name << ": " << worst << " at " << operands[0][at] << ", " << operands[1][at]
                       << ", " << operands[2][at] << " gives " << got[at]);
    CHECK(worst <= 4e-15);
  }
}

TEST_CASE("every opcode on int32, int64 and uint64 wraps and never traps") {
  check_integers<int32_t>();
  check_integers<int64_t>();
  check_integers<uint64_t>();
}

}  // namespace opcodes_test
