// Keys of places, and distributions.
#include "place.h"

#include <cmath>
#include <numbers>

namespace cornu::data {
namespace {

backend::Key mixed(backend::Key key, int64_t number) {
  return backend::split_at(key, static_cast<uint64_t>(number));
}

}  // namespace

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

int64_t Random::below(int64_t count) {
  // The high half of the product; the bias is less than count / 2^64.
  return static_cast<int64_t>(
      static_cast<unsigned __int128>(bits()) * static_cast<uint64_t>(count) >> 64);
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Random::gamma(double shape) {
  // Shapes below 1 by way of shape + 1, as in section 6 of the paper.
  if (shape < 1) {
    const double larger = gamma(shape + 1);
    return larger * std::pow(1 - uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(), root = 1 + c * x, u = 1 - uniform();
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double Random::beta(double a, double b) {
  const double x = gamma(a), y = gamma(b);
  // Both may be too small for a double when the parameters are.
  return x + y > 0 ? x / (x + y) : (happens(a / (a + b)) ? 1.0 : 0.0);
}

backend::Key Random::key() {
  const uint64_t word = bits();
  return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
}

Random Place::random(uint64_t stream) const {
  return Random(
      mixed(mixed(mixed(backend::jax_key(seed), epoch), index), static_cast<int64_t>(stream)));
}

}  // namespace cornu::data
