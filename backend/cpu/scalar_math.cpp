// Scalar special functions in double precision.
#include "scalar_math.h"

#include <initializer_list>

namespace cornu::backend::cpu::scalar {

double lgamma(double x) {
  // The reentrant form: std::lgamma writes a global.
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (std::isnan(x) || x == -std::numeric_limits<double>::infinity())
    return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    // Reflection. The tangent's argument is reduced first: its period is 1 in x.
    const double fraction = x - std::floor(x);
    return digamma(1 - x) - pi / std::tan(pi * fraction);
  }
  double shift = 0;
  for (; x < 10; ++x) shift += 1 / x;
  // Asymptotic series in Bernoulli numbers; the first term left out is below 1e-16 from x = 10 on.
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 -
           r * (1.0 / 120 -
                r * (1.0 / 252 -
                     r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
  return std::log(x) - 0.5 / x - series - shift;
}

double erfinv(double x) {
  if (!(std::fabs(x) < 1)) {
    if (std::fabs(x) == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
    return std::numeric_limits<double>::quiet_NaN();
  }
  // Giles's single-precision polynomials as the start.
  double w = -std::log((1 - x) * (1 + x)), p;
  if (w < 5) {
    w -= 2.5;
    p = 2.81022636e-08;
    for (double c : {3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                     -0.00417768164, 0.246640727, 1.50140941})
      p = c + p * w;
  } else {
    w = std::sqrt(w) - 3;
    p = -0.000200214257;
    for (double c : {0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                     0.00943887047, 1.00167406, 2.83297682})
      p = c + p * w;
  }
  const double target = std::fabs(x);
  double y = std::fabs(p * x);
  constexpr double two_over_sqrt_pi = 1.1283791670955125739;
  for (int step = 0; step < 3; ++step) {
    // Beyond 1/2 the complement keeps the digits that erf loses; 1 - target is exact there.
    const double error = target < 0.5 ? std::erf(y) - target : (1 - target) - std::erfc(y);
    const double newton = error / (two_over_sqrt_pi * std::exp(-y * y));
    y -= newton / (1 + y * newton);  // Halley's correction: erf'' / erf' = -2y
  }
  return std::copysign(y, x);
}

}  // namespace cornu::backend::cpu::scalar
