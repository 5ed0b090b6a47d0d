// Seeds, and the process's stream of them.
#include "seed.h"

#include <fmt/core.h>

#include <bit>
#include <memory>
#include <mutex>
#include <random>

#include "../../../backend/random_bits.h"
#include "../../dispatch/apply.h"
#include "../operators.h"

namespace cornu {

namespace {

Tensor key_tensor(backend::Key key) {
  const uint32_t words[] = {key.hi, key.lo};
  return Tensor::from_host(words, {2});
}

int64_t os_seed() {
  std::random_device device;
  return std::uniform_int_distribution<int64_t>(1, 1'000'000'000)(device);
}

thread_local int still_scopes = 0;

std::mutex stream_mutex;

using Stream = std::optional<backend::PythonRandom>;

Stream& stream() {
  static auto* s = new Stream;
  return *s;
}

// Of orders of samples.
Stream& shuffle_stream() {
  static auto* s = new Stream;
  return *s;
}

// A seed from the stream if it has been started, else from the operating system.
int64_t next_seed(Stream& from) {
  const std::lock_guard lock(stream_mutex);
  return from ? from->next_seed() : os_seed();
}

}  // namespace

SeedGenerator::SeedGenerator(std::optional<int64_t> seed)
    : seed_(seed ? *seed : random::default_seed()),
      state_(key_tensor(backend::key_from_seed(seed_)),
             {.name = "seed_generator_state", .trainable = false}) {}

Tensor SeedGenerator::next() {
  const Tensor key = state_.value();
  if (inferring()) return key;
  state_.assign(apply(backend::Random{backend::Distribution::next_key}, {key},
                      TensorSpec{{2}, DType::uint32}));
  return key;
}

Seed::Seed(int64_t seed) : key_(key_tensor(backend::key_from_seed(seed))) {}

namespace {

// What draws without a seed draw with once random::set_seed was called: Keras's global generator,
// which takes a single number of the stream.
std::mutex global_mutex;
std::unique_ptr<SeedGenerator>& global_generator() {
  static auto* generator = new std::unique_ptr<SeedGenerator>;
  return *generator;
}

}  // namespace

Seed Seed::fresh() {
  if (still_scopes) return Seed(0);
  {
    const std::lock_guard lock(stream_mutex);
    if (!stream()) return Seed(os_seed());
  }
  const std::lock_guard lock(global_mutex);
  if (!global_generator()) global_generator() = std::make_unique<SeedGenerator>();
  Variable& state = global_generator()->state();
  const Tensor key = state.value();
  // Not next(): Keras takes these numbers for draws whose order does not matter.
  if (!inferring()) state.assign((key + 1) * 5387 % 933199);
  Seed seed(0);
  // The generator stays where it was made.
  seed.key_ = key.is_eager() ? key.to(default_device()) : key;
  return seed;
}

}  // namespace cornu

namespace cornu::random {

void set_seed(int64_t seed) {
  {
    const std::lock_guard lock(global_mutex);
    global_generator() = nullptr;
  }
  const std::lock_guard lock(stream_mutex);
  stream().emplace(seed);
  shuffle_stream().emplace(seed);
}

void forget_seed() {
  {
    const std::lock_guard lock(global_mutex);
    global_generator() = nullptr;
  }
  const std::lock_guard lock(stream_mutex);
  stream().reset();
  shuffle_stream().reset();
}

StillScope::StillScope() { ++still_scopes; }

StillScope::~StillScope() { --still_scopes; }

int64_t default_seed() { return still_scopes ? 0 : next_seed(stream()); }

int64_t shuffle_seed() { return next_seed(shuffle_stream()); }

int64_t host_choice(int64_t n) {
  if (n < 1)
    throw ValueError(fmt::format("random::host_choice: there are {} things to choose from.", n));
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

}  // namespace cornu::random
