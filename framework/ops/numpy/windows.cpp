// Windows, computed on the host.
#include "windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../integers.h"
#include "../random/distributions.h"
#include "reduction.h"

namespace cornu::ops {

namespace {

// f at the places i / (n - 1), or 1 alone.
template <class F>
Tensor window(double points, const char* name, F f) {
  const auto n = static_cast<int64_t>(points);
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

Tensor bartlett(double x) {
  return window(x, "bartlett", [](double t) { return 1 - std::abs(2 * t - 1); });
}

Tensor blackman(double x) {
  return window(x, "blackman", [](double t) {
    return 0.42 - 0.5 * std::cos(turn * t) + 0.08 * std::cos(2 * turn * t);
  });
}

Tensor hamming(double x) {
  return window(x, "hamming", [](double t) { return 0.54 - 0.46 * std::cos(turn * t); });
}

Tensor hanning(double x) {
  return window(x, "hanning", [](double t) { return 0.5 - 0.5 * std::cos(turn * t); });
}

Tensor kaiser(double x, double beta) {
  return window(x, "kaiser", [beta](double t) {
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - (2 * t - 1) * (2 * t - 1)))) /
           bessel_i0(beta);
  });
}

void list_numpy_windows(OpCatalog& catalog) {
  catalog.add("numpy.Bartlett", {"x"}, &bartlett);
  catalog.add("numpy.Blackman", {"x"}, &blackman);
  catalog.add("numpy.Hamming", {"x"}, &hamming);
  catalog.add("numpy.Hanning", {"x"}, &hanning);
  catalog.add("numpy.Kaiser", {"x", "beta"}, &kaiser);
}

}  // namespace cornu::ops
