// Comparing tensors element by element.
#include "compare.h"

#include <cornu/framework/ops/operators.h>
#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace cornu::conformance {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

// An element as a double, and whether that is exact.
template <class T>
double number(T v) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_float(v.bits);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return bfloat16_to_float(v.bits);
  else
    return static_cast<double>(v);
}

// The error of one element in units of what is allowed: up to 1 is right.
double error_of(double found, double recorded, Tolerance t) {
  if (found == recorded || (std::isnan(found) && std::isnan(recorded))) return 0;
  if (!std::isfinite(found) || !std::isfinite(recorded)) return endless;
  const double allowed = t.atol + t.rtol * std::abs(recorded);
  return allowed > 0 ? std::abs(found - recorded) / allowed : endless;
}

std::string place(const Shape& shape, int64_t index) {
  Shape at = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return at.str();
}

struct Worst {
  double error = 0, found = 0, recorded = 0;
  int64_t index = 0;
};

template <class T>
Worst worst_of(const void* found, const void* recorded, int64_t count, Tolerance t, bool absolute) {
  Worst worst;
  for (int64_t i = 0; i < count; ++i) {
    T a, b;  // memory of files need not be aligned
    std::memcpy(&a, static_cast<const std::byte*>(found) + i * int64_t{sizeof(T)}, sizeof(T));
    std::memcpy(&b, static_cast<const std::byte*>(recorded) + i * int64_t{sizeof(T)}, sizeof(T));
    double x = number(a), y = number(b), error;
    if constexpr (std::is_integral_v<T>) {
      error = a == b ? 0 : endless;
    } else {
      if (absolute) x = std::abs(x), y = std::abs(y);
      error = error_of(x, y, t);
    }
    if (error > worst.error) worst = {error, x, y, i};
  }
  return worst;
}

// The same for complex numbers, whose distances count; what is shown are absolute values.
template <class T>
Worst worst_of_complex(const void* found, const void* recorded, int64_t count, Tolerance t,
                       bool absolute) {
  Worst worst;
  for (int64_t i = 0; i < count; ++i) {
    T a[2], b[2];
    std::memcpy(a, static_cast<const std::byte*>(found) + i * int64_t{sizeof a}, sizeof a);
    std::memcpy(b, static_cast<const std::byte*>(recorded) + i * int64_t{sizeof b}, sizeof b);
    const double x = std::hypot(number(a[0]), number(a[1])),
                 y = std::hypot(number(b[0]), number(b[1]));
    const auto alike = [&](int k) {
      return a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]));
    };
    const double distance = std::hypot(number(a[0]) - number(b[0]), number(a[1]) - number(b[1]));
    const double error = absolute               ? error_of(x, y, t)
                         : alike(0) && alike(1) ? 0
                         : std::isfinite(x)     ? error_of(y + distance, y, t)
                                                : endless;
    if (error > worst.error) worst = {error, x, y, i};
  }
  return worst;
}

// Lists of text as one text, for comparing and showing.
std::string text_of(const Value& v) {
  if (v.is<std::string>()) return "'" + v.get<std::string>() + "'";
  if (v.is_number()) return fmt::format("{:.9g}", v.number());
  if (!v.is<Value::List>()) return v.kind();
  std::string text;
  for (const Value& e : v.get<Value::List>()) text += (text.empty() ? "" : ", ") + text_of(e);
  return "[" + text + "]";
}

}  // namespace

void Differences::note(double size, const std::string& text) {
  if (size <= size_ && !text_.empty()) return;
  size_ = size;
  text_ = text;
}

void Differences::fail(const std::string& dataset, const std::string& text) {
  note(endless, dataset + ": " + text);
}

void Differences::compare(const std::string& dataset, const Value& found, const Value& recorded,
                          Tolerance tolerance, Compare how) {
  if (!recorded.is<Tensor>()) {
    if (text_of(found) != text_of(recorded))
      fail(dataset, "found " + text_of(found) + ", expected " + text_of(recorded));
    return;
  }
  const Tensor& want = recorded.get<Tensor>();
  if (!found.is<Tensor>() || !found.get<Tensor>()) {
    fail(dataset, "found " + found.kind() + ", expected " + want.spec().str());
    return;
  }
  const Tensor& got = found.get<Tensor>();
  if (got.shape() != want.shape()) {
    fail(dataset, "shape " + got.shape().str() + ", expected " + want.shape().str());
    return;
  }
  if (got.dtype() != want.dtype()) {
    fail(dataset,
         fmt::format("{}, expected {}", dtype_name(got.dtype()), dtype_name(want.dtype())));
    return;
  }
  if (how == Compare::shape) return;
  if (want.dtype() == DType::string) {
    if (got.to_strings() != want.to_strings())
      fail(dataset, "found " + got.str() + ", expected " + want.str());
    return;
  }
  const void* a = got.host_data();
  const void* b = want.host_data();
  const bool absolute = how == Compare::absolute;
  const Worst worst = want.dtype() == DType::complex64
                          ? worst_of_complex<float>(a, b, want.size(), tolerance, absolute)
                      : want.dtype() == DType::complex128
                          ? worst_of_complex<double>(a, b, want.size(), tolerance, absolute)
                          : dispatch(want.dtype(), [&]<class T>() {
                              return worst_of<T>(a, b, want.size(), tolerance, absolute);
                            });
  if (worst.error > 1)
    note(worst.error,
         fmt::format("{}: {:.3g} times the tolerance: {:.7g}, expected {:.7g} at {} of {}", dataset,
                     worst.error, worst.found, worst.recorded, place(want.shape(), worst.index),
                     want.spec().str()));
}

void Differences::compare_bits(const std::string& dataset, const Tensor& found,
                               const Tensor& recorded, const std::string& text) {
  if (found.spec() != recorded.spec() ||
      std::memcmp(found.host_data(), recorded.host_data(), recorded.bytes()) != 0)
    fail(dataset, text);
}

}  // namespace cornu::conformance
