// Draws as tensors, and generators of seeds, against Keras.
#include <cornu/framework/dispatch/node.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/draws.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "paths.h"

namespace random_test {

using namespace cornu;
using nlohmann::json;

namespace {

const json& goldens() {
  static const json all = [] {
    std::ifstream file(test::source_path("tests/data/random.json"));
    return json::parse(file);
  }();
  return all;
}

// The last `count` elements' bits.
std::vector<uint64_t> last_bits(const Tensor& x, size_t count) {
  const size_t width = size_of(x.dtype()), size = static_cast<size_t>(x.size());
  const char* bytes = static_cast<const char*>(x.host_data());
  std::vector<uint64_t> bits(count);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&bits[i], bytes + (size - count + i) * width, width);
  return bits;
}

std::vector<float> floats_of(const json& bits) {
  std::vector<float> values;
  for (const uint32_t word : bits.get<std::vector<uint32_t>>()) {
    float v;
    std::memcpy(&v, &word, sizeof v);
    values.push_back(v);
  }
  return values;
}

}  // namespace

TEST_CASE("tensors of floats are drawn as Keras draws them") {
  for (const json& c : goldens()["draws"]) {
    INFO(c.dump());
    const auto kind = c["kind"].get<std::string>();
    const int64_t seed = c["seed"];
    const DType dtype = dtype_of(c["dtype"].get<std::string>());
    const Shape shape = {c["size"].get<int64_t>()};
    const double a = c["a"], b = c["b"];
    const Tensor x = kind == "uniform"  ? random::uniform(shape, a, b, seed, dtype)
                     : kind == "normal" ? random::normal(shape, a, b, seed, dtype)
                                        : random::truncated_normal(shape, a, b, seed, dtype);
    CHECK(x.dtype() == dtype);
    const auto expected = c["last"].get<std::vector<uint64_t>>();
    CHECK(last_bits(x, expected.size()) == expected);
  }
}

TEST_CASE("tensors of integers are drawn as Keras draws them") {
  for (const json& c : goldens()["integers"]) {
    INFO(c.dump());
    const auto low = c["low"].get<int64_t>(), high = c["high"].get<int64_t>();
    const Tensor x =
        random::randint({37}, low, high, 1337, dtype_of(c["dtype"].get<std::string>()));
    const auto all = ops::cast(x, DType::int64).to_vector<int64_t>();
    CHECK(std::vector<int64_t>(all.end() - 8, all.end()) == c["last"].get<std::vector<int64_t>>());
  }
}

TEST_CASE("dropout's masks are those of consecutive calls of Keras's layer") {
  for (const json& c : goldens()["dropouts"]) {
    SeedGenerator generator(1337);
    const Tensor x(floats_of(c["input"]));
    for (size_t call = 0; call < 2; ++call) {
      const Tensor y = random::dropout(x, c["rate"], generator);
      CHECK(last_bits(y, static_cast<size_t>(y.size())) ==
            c["calls"][call].get<std::vector<uint64_t>>());
    }
  }
}

TEST_CASE(
    "dropout shares draws along axes of its noise shape, and keeps or drops all at its ends") {
  const Tensor x = ops::ones({8, 5});
  const auto y = random::dropout(x, 0.5, 3, Shape{8, 1}).to_vector<float>();
  for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == y[i / 5 * 5]);
  CHECK(random::dropout(x, 0, 3).impl() == x.impl());
  CHECK(ops::sum(random::dropout(x, 1, 3)).item() == 0);
  const Tensor narrow = random::dropout(ops::ones({64}, DType::bfloat16), 0.5, 3);
  CHECK(narrow.dtype() == DType::bfloat16);
  CHECK(ops::max(narrow).item() == 2);
}

TEST_CASE("bernoulli holds as often as it should") {
  const Tensor x = random::bernoulli({10000}, 0.3, 5);
  CHECK(x.dtype() == DType::boolean);
  CHECK(std::abs(ops::mean(x).item() - 0.3) < 0.02);
  CHECK(ops::any(random::bernoulli({100}, 0, 5)).item() == 0);
  CHECK(ops::all(random::bernoulli({100}, 1, 5)).item() == 1);
}

TEST_CASE("seed generators move as Keras's") {
  for (const json& c : goldens()["seed_generators"]) {
    if (!c["ordered"].get<bool>()) continue;
    SeedGenerator generator(c["seed"].get<int64_t>());
    for (const json& drawn : c["drawn"])
      CHECK(last_bits(generator.next(), 2) == drawn.get<std::vector<uint64_t>>());
    CHECK(last_bits(generator.state().value(), 2) == c["state"].get<std::vector<uint64_t>>());
    CHECK_FALSE(generator.state().trainable());
  }
}

TEST_CASE("a generator stands still while shapes are inferred") {
  SeedGenerator generator(1);
  const auto before = generator.state().value().values<uint32_t>();
  const std::vector<uint32_t> words(before.begin(), before.end());
  {
    const InferenceScope scope;
    random::uniform({2}, 0, 1, generator);
  }
  const auto after = generator.state().value().values<uint32_t>();
  CHECK(std::vector<uint32_t>(after.begin(), after.end()) == words);
}

TEST_CASE("a number draws the same each time, a generator does not") {
  const auto draw = [](const Seed& seed) {
    return random::normal({4}, 0, 1, seed).to_vector<float>();
  };
  CHECK(draw(7) == draw(7));
  SeedGenerator generator(7);
  const auto first = draw(generator);
  CHECK(first == draw(7));
  CHECK(draw(generator) != first);
}

TEST_CASE("set_seed makes a program repeat") {
  random::set_seed(1337);
  const int64_t a = random::default_seed(), b = SeedGenerator().seed();
  random::set_seed(1337);
  CHECK(random::default_seed() == a);
  CHECK(random::default_seed() == b);
  for (const json& stream : goldens()["python_seeds"]["streams"]) {
    random::set_seed(stream["seed"].get<int64_t>());
    for (const json& seed : stream["first"]) CHECK(random::default_seed() == seed.get<int64_t>());
  }
}

TEST_CASE("set_seed starts the orders of samples too, in a stream of their own") {
  random::set_seed(3);
  const int64_t order = random::shuffle_seed(), next = random::shuffle_seed();
  const int64_t weights = random::default_seed();
  CHECK(order != next);
  random::set_seed(3);
  CHECK(random::default_seed() == weights);
  CHECK(random::shuffle_seed() == order);
}

TEST_CASE("draws say what they refuse") {
  CHECK_THROWS_WITH(random::uniform({1}, 0, 1, 0, DType::int32),
                    "random::uniform: dtype must be a float, found int32.");
  CHECK_THROWS_AS(random::normal({1}, 0, 1, 0, DType::boolean), ValueError);
  CHECK_THROWS_WITH(random::randint({1}, 0, 1, 0, DType::float32),
                    "random::randint: dtype must be an integer, found float32.");
  CHECK_THROWS_WITH(random::dropout(ops::ones({1}), 1.5, 0),
                    "random::dropout: rate must be in [0, 1], found 1.5.");
  CHECK_THROWS_AS(SeedGenerator(-1), ValueError);
}

TEST_CASE("classes are drawn as Keras draws them") {
  for (const json& c : goldens()["categoricals"]) {
    INFO(c.dump());
    const Tensor logits = Tensor::from(floats_of(c["logits"]),
                                       {c["batch"].get<int64_t>(), c["classes"].get<int64_t>()});
    const Tensor x = random::categorical(logits, c["samples"], DType::int32, 1337);
    CHECK(x.shape() == Shape{logits.shape()[0], c["samples"].get<int64_t>()});
    const auto all = x.to_vector<int64_t>();
    const auto last = c["last"].get<std::vector<int64_t>>();
    CHECK(std::vector<int64_t>(all.end() - static_cast<ptrdiff_t>(last.size()), all.end()) == last);
  }
  CHECK(random::categorical(ops::zeros({2, 3}), 4, DType::int64).dtype() == DType::int64);
  CHECK_THROWS_AS(random::categorical(ops::zeros({3}), 4), ShapeError);
  CHECK_THROWS_AS(random::categorical(ops::zeros({2, 3}), -1), ValueError);
  CHECK_THROWS_AS(random::categorical(ops::zeros({2, 3}), 1, DType::float32), ValueError);
}

TEST_CASE("counts of successes have their mean and variance") {
  const int64_t n = 20000;
  // Few tries, many of them, rare and usual successes: each way of drawing.
  for (const auto& [count, p] : std::vector<std::pair<double, double>>{
           {1, 0.3}, {12, 0.5}, {40, 0.1}, {200, 0.3}, {1000, 0.97}, {1e6, 0.5}}) {
    INFO(count << " tries of " << p);
    const Tensor x = ops::cast(random::binomial({n}, count, p, DType::float64, 5), DType::float64);
    const double mean = ops::mean(x).item(), variance = ops::mean(ops::square(x - mean)).item();
    const double wanted = count * p * (1 - p);
    // Five standard errors.
    CHECK(std::abs(mean - count * p) < 5 * std::sqrt(wanted / n));
    CHECK(std::abs(variance / wanted - 1) < 5 * std::sqrt((2 + 1 / wanted) / n));
    CHECK(ops::min(x).item() >= 0);
    CHECK(ops::max(x).item() <= count);
    CHECK(ops::max(ops::abs(x - ops::floor(x))).item() == 0);
  }
  const Tensor edges = random::binomial({4}, Tensor(std::vector<float>{0, 9, 9, 9}),
                                        Tensor(std::vector<float>{0.5, 0, 1, 2}), {}, 1);
  const auto values = edges.to_vector<double>();
  CHECK(std::vector<double>(values.begin(), values.begin() + 3) == std::vector<double>{0, 0, 9});
  CHECK(std::isnan(values[3]));
  CHECK_THROWS_AS(random::binomial({2}, 3, 0.5, DType::int32), ValueError);
}

TEST_CASE("draws take Keras's defaults and order of arguments") {
  const auto same = [](const Tensor& a, const Tensor& b) {
    return a.to_vector<double>() == b.to_vector<double>();
  };
  CHECK(same(random::normal({5}, 0, 1, DType::float32, 7), random::normal({5}, 0, 1, 7)));
  CHECK(same(random::uniform({5}, 0, 1, {}, 7), random::uniform({5}, 0, 1, 7)));
  CHECK(same(random::truncated_normal({5}, 0, 1, {}, 7), random::truncated_normal({5}, 0, 1, 7)));
  CHECK(same(random::randint({5}, 0, 9, DType::int32, 7), random::randint({5}, 0, 9, 7)));
  CHECK(same(random::randint({5}, 0, 9, {}, 7), random::randint({5}, 0, 9, 7)));
  CHECK(random::randint({5}, 0, 9, {}, 7).dtype() == DType::int32);
  CHECK(
      same(random::shuffle(ops::arange(0, 9), 0, 7), random::shuffle(ops::arange(0, 9), Seed(7))));
  // Without a seed each call draws other numbers.
  CHECK_FALSE(same(random::normal({5}), random::normal({5})));
  CHECK_FALSE(same(random::uniform({5}), random::uniform({5})));
}

TEST_CASE("random takes dtypes by name") {
  CHECK(random::uniform({2}, 0, 1, "float16", 3).dtype() == DType::float16);
  CHECK(random::uniform({2}, 0, 1, 3, "float64").dtype() == DType::float64);
  CHECK(random::randint({2}, 0, 9, "int64", 3).dtype() == DType::int64);
  CHECK(random::categorical(ops::zeros({2, 3}), 4, "int64", 3).dtype() == DType::int64);
  CHECK(random::gamma({2}, 2.0, 3, "float64").dtype() == DType::float64);
}

TEST_CASE("draws without a seed share Keras's global generator") {
  // keras.utils.set_random_seed(42), then in order; on JAX.
  random::set_seed(42);
  const auto near = [](const Tensor& t, std::vector<float> expected) {
    const std::vector<float> found = t.to_vector<float>();
    for (size_t i = 0; i < expected.size(); ++i)
      if (std::fabs(found.at(i) - expected[i]) > 1e-5f) return false;
    return true;
  };
  CHECK(near(random::normal({2}), {-1.45146f, 0.148126f}));
  CHECK(near(random::normal({2}), {0.279406f, 0.0891237f}));
  CHECK(near(random::uniform({2}), {0.074521f, 0.183093f}));
  // The whole generator took one number of the stream, as in Python.
  const int64_t after = random::default_seed();
  random::set_seed(42);
  (void)random::default_seed();
  CHECK(random::default_seed() == after);
  random::set_seed(42);
  CHECK(near(random::normal({2}), {-1.45146f, 0.148126f}));
}

}  // namespace random_test
