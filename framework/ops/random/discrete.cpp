// Classes, and counts by waiting times and rejection.
#include "discrete.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "../../../backend/random_bits.h"
#include "../../dispatch/apply.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/manipulation.h"
#include "../operators.h"
#include "seed.h"

namespace cornu::random {

namespace {

// Uniform numbers in [0, 1) that a key determines.
class Uniforms {
 public:
  explicit Uniforms(backend::Key key) : key_(key) {}
  double next() { return static_cast<double>(backend::bits64_at(key_, next_++) >> 11) * 0x1.0p-53; }

 private:
  backend::Key key_;
  uint64_t next_ = 0;
};

// The logarithm of n!. (std::lgamma writes a variable that all threads share.)
double log_factorial(double n) {
  int sign = 0;
  return lgamma_r(n + 1, &sign);
}

// By the gaps between successes, which have a geometric distribution: about count * p draws.
// Source: Devroye, "Non-Uniform Random Variate Generation", 1986, chapter X.4, first waiting time
// algorithm.
double by_waiting(double count, double p, Uniforms& draws) {
  const double log_failure = std::log1p(-p);
  double successes = 0, tries = 0;
  while (true) {
    tries += std::floor(std::log1p(-draws.next()) / log_failure) + 1;
    if (tries > count) return successes;
    ++successes;
  }
}

// Transformed rejection for count * p >= 10. Source: Hoermann, "The generation of binomial random
// variates", 1993, algorithm BTRS.
double by_rejection(double count, double p, Uniforms& draws) {
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5, most = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation, odds = std::log(p / (1 - p));
  const double mode = std::floor((count + 1) * p);
  const double at_mode = log_factorial(mode) + log_factorial(count - mode);
  while (true) {
    const double u = draws.next() - 0.5, v = draws.next();
    const double side = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / side + b) * u + c);
    if (side >= 0.07 && v <= most) return k;
    if (k < 0 || k > count) continue;
    const double bound = at_mode - log_factorial(k) - log_factorial(count - k) + (k - mode) * odds;
    if (std::log(v * alpha / (a / (side * side) + b)) <= bound) return k;
  }
}

double binomial_one(double count, double p, Uniforms draws) {
  if (!(count >= 0) || !(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (count == 0 || p == 0) return 0;
  if (p == 1) return count;
  // The rarer of success and failure is counted.
  const double rare = std::min(p, 1 - p);
  const double found =
      count * rare < 10 ? by_waiting(count, rare, draws) : by_rejection(count, rare, draws);
  return p <= 0.5 ? found : count - found;
}

}  // namespace

Tensor categorical(const Tensor& logits, int64_t num_samples, DTypeName dtype,
                   std::optional<Seed> seed) {
  if (logits.rank() != 2)
    throw ShapeError(
        fmt::format("random::categorical: logits need the shape (batch, classes), found {}.",
                    logits.shape().str()));
  if (!is_int(dtype))
    throw ValueError(
        fmt::format("random::categorical: dtype must be an integer, found {}.", dtype_name(dtype)));
  if (num_samples < 0)
    throw ValueError(fmt::format("random::categorical: num_samples must not be negative, found {}.",
                                 num_samples));
  const int64_t batch = logits.shape()[0], classes = logits.shape()[1];
  const Tensor inputs[] = {(seed ? *seed : Seed::fresh()).key(), ops::cast(logits, DType::float32)};
  const TensorSpec outputs[] = {{{batch, num_samples}, DType::int32}};
  const Tensor y = apply_host(
      [=](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto words = in[0].values<uint32_t>();
        const auto count = static_cast<size_t>(batch * num_samples);
        backend::categorical({words[0], words[1]}, in[1].values<float>(), batch, classes,
                             num_samples, {static_cast<int32_t*>(out[0].data()), count});
      },
      inputs, outputs, fmt::format("categorical {} {} {}", batch, classes, num_samples))[0];
  return ops::cast(y, dtype);
}

Tensor binomial(const Shape& shape, const Tensor& counts, const Tensor& probabilities,
                OptionalDType dtype, std::optional<Seed> seed) {
  const DType result = dtype.value_or(config::default_dtype());
  if (!is_float(result))
    throw ValueError(
        fmt::format("random::binomial: dtype must be a float, found {}.", dtype_name(result)));
  const auto doubles = [&](const Tensor& x) {
    return ops::broadcast_to(ops::cast(x, DType::float64), shape);
  };
  const Tensor inputs[] = {(seed ? *seed : Seed::fresh()).key(), doubles(counts),
                           doubles(probabilities)};
  const TensorSpec outputs[] = {{shape, DType::float64}};
  const Tensor y = apply_host(
      [](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto words = in[0].values<uint32_t>();
        const auto counts = in[1].values<double>(), probabilities = in[2].values<double>();
        auto* y = static_cast<double*>(out[0].data());
        for (size_t i = 0; i < counts.size(); ++i)
          y[i] = binomial_one(counts[i], probabilities[i],
                              Uniforms(backend::split_at({words[0], words[1]}, i)));
      },
      inputs, outputs, "binomial")[0];
  return ops::cast(y, result);
}

}  // namespace cornu::random
