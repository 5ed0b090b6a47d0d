// The text of sums in two floats. Its roundings are what it computes with: no compiler may join or
// reorder them, so additions are instructions by name where CUDA has names.
#include "twofold.h"

#include <bit>
#include <cmath>

namespace cornu::backend::cuda {

const char* const twofold_text = R"text(
struct Twofold {
  float high, low;
  CORNU_METHOD void operator+=(const Twofold& other);
};
CORNU_DEVICE float plus(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
CORNU_DEVICE float times(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
// What rounding took away, where there is such a thing: behind infinity there is not.
CORNU_DEVICE Twofold with_rest(float high, float rest) {
  return Twofold{high, is_finite(high) ? rest : 0.0f};
}
CORNU_DEVICE Twofold exact_sum(float a, float b) {
  const float high = plus(a, b), of_b = plus(high, -a), of_a = plus(high, -of_b);
  return with_rest(high, plus(plus(a, -of_a), plus(b, -of_b)));
}
// Of a number and one that is no larger.
CORNU_DEVICE Twofold exact_sum_ordered(float a, float b) {
  const float high = plus(a, b);
  return with_rest(high, plus(b, -plus(high, -a)));
}
CORNU_DEVICE Twofold added(const Twofold& a, float b) {
  const Twofold sum = exact_sum(a.high, b);
  return exact_sum_ordered(sum.high, plus(a.low, sum.low));
}
CORNU_DEVICE Twofold added(const Twofold& a, const Twofold& b) {
  const Twofold high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const Twofold sum = exact_sum_ordered(high.high, plus(high.low, low.high));
  return exact_sum_ordered(sum.high, plus(low.low, sum.low));
}
CORNU_METHOD void Twofold::operator+=(const Twofold& other) { *this = added(*this, other); }
// Times a factor, which is in two floats as well.
CORNU_DEVICE float scaled(const Twofold& x, float high, float low) {
  const float product = times(x.high, high);
  if (!is_finite(product)) return product;
  const float rest = ::fmaf(x.high, high, -product);
  return plus(product, plus(rest, plus(times(x.high, low), times(x.low, high))));
}
)text";

const char* const double_text = R"text(
CORNU_DEVICE double added(double a, float b) { return a + static_cast<double>(b); }
)text";

std::string scaled_twofold(const std::string& total, double scale, ArgumentList& arguments) {
  if (scale == 1) return total + ".high";
  const auto high = static_cast<float>(scale);
  const auto low = static_cast<float>(scale - static_cast<double>(high));
  // Where two floats do not hold the factor, a double does.
  if (scale != 0 && !(std::fabs(scale) > 0x1p-96 && std::fabs(scale) < 0x1p96))
    return "static_cast<float>((static_cast<double>(" + total + ".high) + static_cast<double>(" +
           total + ".low)) * " + arguments.number(scale) + ")";
  const auto text = [&](float value) {
    return "bits_as<float>(" + arguments.word(std::bit_cast<uint32_t>(value), "uint32") + ")";
  };
  const std::string first = text(high);
  return "scaled(" + total + ", " + first + ", " + text(low) + ")";
}

}  // namespace cornu::backend::cuda
