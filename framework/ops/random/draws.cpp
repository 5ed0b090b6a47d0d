// Seeds, and draws as kernels.
#include "draws.h"

#include <fmt/core.h>

#include <bit>
#include <mutex>
#include <random>

#include "../../../backend/random_bits.h"
#include "../../dispatch/apply.h"
#include "../core/cast.h"
#include "../operators.h"
#include "distributions.h"

namespace cornu {
namespace {

Tensor key_tensor(backend::Key key) {
  const uint32_t words[] = {key.hi, key.lo};
  return Tensor::from_host(words, {2});
}

Tensor draw(const Shape& shape, DType dtype, const Seed& seed, backend::Distribution distribution, double low,
            double high) {
  return apply(backend::Random{distribution, low, high}, {seed.key()}, TensorSpec{shape, dtype});
}

void check_float(DType dtype, const char* name) {
  if (!is_float(dtype))
    throw ValueError(fmt::format("random::{}: dtype must be a float, found {}.", name, dtype_name(dtype)));
}

std::mutex stream_mutex;
std::optional<backend::PythonRandom>& stream() {
  static auto* s = new std::optional<backend::PythonRandom>;
  return *s;
}

}  // namespace

SeedGenerator::SeedGenerator(std::optional<int64_t> seed)
    : seed_(seed ? *seed : random::default_seed()),
      state_(key_tensor(backend::key_from_seed(seed_)),
             {.name = "seed_generator_state", .trainable = false}) {}

Tensor SeedGenerator::next() {
  const Tensor key = state_.value();
  if (inferring()) return key;
  state_.assign(apply(backend::Random{backend::Distribution::next_key}, {key}, TensorSpec{{2}, DType::uint32}));
  return key;
}

Seed::Seed(int64_t seed) : key_(key_tensor(backend::key_from_seed(seed))) {}

namespace random {

void set_seed(int64_t seed) {
  const std::lock_guard lock(stream_mutex);
  stream().emplace(seed);
}

namespace {
thread_local int still_scopes = 0;
}

StillScope::StillScope() { ++still_scopes; }
StillScope::~StillScope() { --still_scopes; }

int64_t default_seed() {
  if (still_scopes) return 0;
  const std::lock_guard lock(stream_mutex);
  if (stream()) return stream()->next_seed();
  std::random_device device;
  return std::uniform_int_distribution<int64_t>(1, 1'000'000'000)(device);
}

int64_t host_choice(int64_t n) {
  if (n < 1) throw ValueError(fmt::format("random::host_choice: there are {} things to choose from.", n));
  const std::lock_guard lock(stream_mutex);
  if (!stream()) {
    std::random_device device;
    return std::uniform_int_distribution<int64_t>(0, n - 1)(device);
  }
  // Python draws as many bits as n has until they make a number below n.
  const int bits = std::bit_width(static_cast<uint64_t>(n));
  int64_t value = stream()->bits(bits);
  while (value >= n) value = stream()->bits(bits);
  return value;
}

Tensor uniform(const Shape& shape, double minval, double maxval, const Seed& seed, DType dtype) {
  check_float(dtype, "uniform");
  return draw(shape, dtype, seed, backend::Distribution::uniform, minval, maxval);
}

Tensor normal(const Shape& shape, double mean, double stddev, const Seed& seed, DType dtype) {
  check_float(dtype, "normal");
  return draw(shape, dtype, seed, backend::Distribution::normal, mean, stddev);
}

Tensor truncated_normal(const Shape& shape, double mean, double stddev, const Seed& seed, DType dtype) {
  check_float(dtype, "truncated_normal");
  return draw(shape, dtype, seed, backend::Distribution::truncated_normal, mean, stddev);
}

Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const Seed& seed, DType dtype) {
  if (!is_int(dtype))
    throw ValueError(fmt::format("random::randint: dtype must be an integer, found {}.", dtype_name(dtype)));
  return draw(shape, dtype, seed, backend::Distribution::randint, static_cast<double>(minval),
              static_cast<double>(maxval));
}

Tensor bernoulli(const Shape& shape, double p, const Seed& seed) {
  return draw(shape, DType::boolean, seed, backend::Distribution::bernoulli, p, 0);
}

Tensor dropout(const Tensor& x, double rate, const Seed& seed, const std::optional<Shape>& noise_shape) {
  if (!(rate >= 0 && rate <= 1))
    throw ValueError(fmt::format("random::dropout: rate must be in [0, 1], found {}.", rate));
  if (rate == 0) return x;
  if (rate == 1) return x * 0.0;
  const Tensor keep = bernoulli(noise_shape.value_or(x.shape()), 1 - rate, seed);
  // Keras on JAX multiplies by the rounded reciprocal, except that bfloat16 is divided.
  if (x.dtype() == DType::bfloat16)
    return fused([](Expr x, Expr keep, Expr share) { return expr::select(keep, x / share, 0.0); }, x, keep,
                 Tensor(1 - rate));
  const double scale = x.dtype() == DType::float64 ? 1 / (1 - rate) : 1.0f / static_cast<float>(1 - rate);
  return fused([](Expr x, Expr keep, Expr scale) { return expr::select(keep, x * scale, 0.0); }, x, keep,
               Tensor(scale));
}

}  // namespace random
}  // namespace cornu
