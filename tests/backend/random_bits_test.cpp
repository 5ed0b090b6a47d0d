// Random numbers against those of Keras on the JAX backend, bit for bit.
#include <cornu/backend/error.h>
#include <cornu/backend/random_bits.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "paths.h"

namespace random_bits_test {

using namespace cornu;
using namespace cornu::backend;
using nlohmann::json;

namespace {

const json& goldens() {
  static const json data = json::parse(std::ifstream(test::source_path("tests/data/random.json")));
  return data;
}

Key key_of(const json& words) { return {words[0].get<uint32_t>(), words[1].get<uint32_t>()}; }

/// The unsigned type of a storage type's bits.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class T>
std::vector<Bits<T>> bits_of(const std::vector<T>& values) {
  std::vector<Bits<T>> bits(values.size());
  if (!values.empty()) std::memcpy(bits.data(), values.data(), values.size() * sizeof(T));
  return bits;
}

template <class T>
std::vector<T> values_of(const json& bits) {
  const auto words = bits.get<std::vector<Bits<T>>>();
  std::vector<T> values(words.size());
  if (!values.empty()) std::memcpy(values.data(), words.data(), words.size() * sizeof(T));
  return values;
}

template <class T>
std::vector<Bits<T>> last(const std::vector<T>& values, size_t count) {
  return bits_of(std::vector<T>(values.end() - static_cast<std::ptrdiff_t>(count), values.end()));
}

/// Draws `size` elements of one kind from `first` on.
template <class T>
std::vector<T> draw(const std::string& kind, Key key, uint64_t first, size_t size, double a,
                    double b) {
  std::vector<T> out(size);
  if (kind == "uniform") fill_uniform<T>(key, first, out, a, b);
  if (kind == "normal") fill_normal<T>(key, first, out, a, b);
  if (kind == "truncated_normal") fill_truncated_normal<T>(key, first, out, a, b);
  return out;
}

template <class T>
void check_bits(const json& entry, const char* name) {
  std::vector<T> out(67);
  fill_bits<T>(key_of(entry["key"]), 0, out);
  const auto expected = entry[name].get<std::vector<T>>();
  CHECK(last(out, expected.size()) == expected);
}

std::vector<bool> mask_of(Key key, size_t size, double p) {
  const auto mask = std::make_unique<bool[]>(size);
  fill_bernoulli(key, 0, {mask.get(), size}, p);
  return std::vector<bool>(mask.get(), mask.get() + size);
}

}  // namespace

// Random123's known answers for 20 rounds.
static_assert(split_at({0, 0}, 0) == Key{0x6b200159u, 0x99ba4efeu});
static_assert(threefry2x32({0x13198a2eu, 0x03707344u}, 0x243f6a88u, 0x85a308d3u).first ==
              0xc4923a9cu);

TEST_CASE("keys, splits and bits equal JAX's") {
  for (const json& entry : goldens()["keys"]) {
    const Key key = key_of(entry["key"]);
    for (uint64_t i = 0; i < 3; ++i) CHECK(split_at(key, i) == key_of(entry["split"][i]));
    CHECK(split(key)[1] == split_at(key, 1));
    for (const json& pair : entry["fold_in"])
      CHECK(fold_in(key, pair[0].get<uint32_t>()) == key_of(pair[1]));
    for (const json& pair : entry["seed64"])
      CHECK(jax_key(pair[0].get<int64_t>()) == key_of(pair[1]));
    check_bits<uint8_t>(entry, "bits8");
    check_bits<uint16_t>(entry, "bits16");
    check_bits<uint32_t>(entry, "bits32");
    check_bits<uint64_t>(entry, "bits64");
  }
}

TEST_CASE("uniform and normal draws equal Keras's in every float type") {
  for (const json& entry : goldens()["draws"]) {
    INFO(entry.dump());
    const Key key = key_from_seed(entry["seed"].get<int64_t>());
    const auto kind = entry["kind"].get<std::string>();
    const auto size = entry["size"].get<size_t>();
    const double a = entry["a"], b = entry["b"];
    dispatch(dtype_of(entry["dtype"].get<std::string>()), [&]<class T>() {
      if constexpr (is_float(dtype_for_v<T>)) {
        const auto expected = entry["last"].get<std::vector<Bits<T>>>();
        CHECK(last(draw<T>(kind, key, 0, size, a, b), expected.size()) == expected);
        const size_t skipped = size - expected.size();
        CHECK(bits_of(draw<T>(kind, key, skipped, expected.size(), a, b)) == expected);
      }
    });
  }
}

TEST_CASE("the outermost normals equal Keras's") {
  for (const json& entry : goldens()["tails"]) {
    const Key key = key_from_seed(entry["seed"].get<int64_t>());
    dispatch(dtype_of(entry["dtype"].get<std::string>()), [&]<class T>() {
      if constexpr (is_float(dtype_for_v<T>)) {
        const auto expected = entry["bits"].get<std::vector<Bits<T>>>();
        for (size_t i = 0; i < expected.size(); ++i) {
          // Within a longer draw, as the vectorized code sees it.
          const auto values = draw<T>("normal", key, entry["at"][i].get<uint64_t>() - 5, 70, 0, 1);
          CHECK(bits_of(values)[5] == expected[i]);
        }
      }
    });
  }
}

TEST_CASE("a draw does not depend on how it is split") {
  const Key key{12, 34};
  for (const uint64_t first : {uint64_t{0}, (uint64_t{1} << 32) - 100}) {
    std::vector<float> whole(1000), parts(1000);
    fill_normal<float>(key, first, whole);
    const std::span<float> all(parts);
    size_t done = 0;
    for (const size_t count :
         {size_t{1}, size_t{63}, size_t{0}, size_t{64}, size_t{65}, size_t{807}}) {
      fill_normal<float>(key, first + done, all.subspan(done, count));
      done += count;
    }
    CHECK(bits_of(whole) == bits_of(parts));
  }
  std::vector<uint32_t> across(200);
  fill_bits<uint32_t>(key, (uint64_t{1} << 32) - 100, across);
  CHECK(across[99] == bits32_at(key, 0xFFFFFFFFu));
  CHECK(across[100] == bits32_at(key, uint64_t{1} << 32));
}

TEST_CASE("integers equal Keras's") {
  for (const json& entry : goldens()["integers"]) {
    INFO(entry.dump());
    dispatch(dtype_of(entry["dtype"].get<std::string>()), [&]<class T>() {
      if constexpr (is_int(dtype_for_v<T>)) {
        std::vector<T> out(37);
        fill_randint<T>(key_from_seed(1337), 0, out, entry["low"], entry["high"]);
        const auto expected = entry["last"].get<std::vector<T>>();
        CHECK(std::vector<T>(out.end() - 8, out.end()) == expected);
      }
    });
  }
}

TEST_CASE("shuffles equal Keras's") {
  for (const json& entry : goldens()["shuffles"]) {
    INFO(entry.dump());
    const auto shape = entry["shape"].get<std::vector<int64_t>>();
    const auto axis = entry["axis"].get<size_t>();
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    std::vector<int64_t> sources(static_cast<size_t>(outer * shape[axis] * inner));
    shuffle_sources(key_from_seed(42), outer, shape[axis], inner, sources);
    if (entry.contains("first")) sources.resize(20);
    CHECK(sources ==
          entry[entry.contains("first") ? "first" : "sources"].get<std::vector<int64_t>>());
  }
  std::vector<int64_t> short_one(3);
  CHECK_THROWS_AS(shuffle_sources(key_from_seed(1), 1, 4, 1, short_one), ShapeError);
}

TEST_CASE("categorical draws equal Keras's") {
  for (const json& entry : goldens()["categoricals"]) {
    INFO(entry.dump());
    const auto logits = values_of<float>(entry["logits"]);
    std::vector<int32_t> out(entry["size"].get<size_t>());
    categorical(key_from_seed(1337), logits, entry["batch"], entry["classes"], entry["samples"],
                out);
    const auto expected = entry["last"].get<std::vector<int32_t>>();
    CHECK(std::vector<int32_t>(out.end() - static_cast<std::ptrdiff_t>(expected.size()),
                               out.end()) == expected);
  }
  std::vector<int32_t> out(1);
  CHECK_THROWS_AS(categorical(key_from_seed(1), {}, 1, 0, 1, out), ShapeError);
}

TEST_CASE("seed generators move as Keras's") {
  for (const json& entry : goldens()["seed_generators"]) {
    Key state = key_from_seed(entry["seed"].get<int64_t>());
    const bool ordered = entry["ordered"];
    for (const json& drawn : entry["drawn"])
      CHECK((ordered ? next_key(state) : next_key_unordered(state)) == key_of(drawn));
    CHECK(state == key_of(entry["state"]));
  }
  CHECK_THROWS_AS(key_from_seed(-1), ValueError);
  CHECK_THROWS_AS(key_from_seed(int64_t{1} << 32), ValueError);
}

TEST_CASE("seeds after set_random_seed equal Keras's") {
  const json& entry = goldens()["python_seeds"];
  for (const json& stream : entry["streams"]) {
    PythonRandom random(stream["seed"].get<int64_t>());
    std::vector<int64_t> drawn(700);
    for (int64_t& seed : drawn) seed = random.next_seed();
    CHECK(std::vector<int64_t>(drawn.begin(), drawn.begin() + 3) ==
          stream["first"].get<std::vector<int64_t>>());
    CHECK(std::vector<int64_t>(drawn.end() - 3, drawn.end()) ==
          stream["last"].get<std::vector<int64_t>>());
  }

  PythonRandom random(1);
  const Key first = key_from_seed(random.next_seed()), second = key_from_seed(random.next_seed());
  const double first_limit = std::sqrt(3.0 / 2.5), second_limit = std::sqrt(3.0 / 2.5);
  CHECK(bits_of(draw<float>("uniform", first, 0, 6, -first_limit, first_limit)) ==
        entry["first_kernel"].get<std::vector<uint32_t>>());
  CHECK(bits_of(draw<float>("uniform", second, 0, 6, -second_limit, second_limit)) ==
        entry["second_kernel"].get<std::vector<uint32_t>>());
  Key global = key_from_seed(random.next_seed());
  for (const json& expected : entry["unseeded"])
    CHECK(bits_of(draw<float>("uniform", next_key_unordered(global), 0, 3, 0, 1)) ==
          expected.get<std::vector<uint32_t>>());
}

TEST_CASE("initializers draw what Keras's draw") {
  for (const json& entry : goldens()["initializers"]) {
    INFO(entry.dump());
    const auto shape = entry["shape"].get<std::vector<int64_t>>();
    const auto name = entry["name"].get<std::string>();
    double receptive = 1;
    for (size_t i = 0; i + 2 < shape.size(); ++i) receptive *= static_cast<double>(shape[i]);
    const double fan_in = receptive * static_cast<double>(shape[shape.size() - 2]);
    const double fan_out = receptive * static_cast<double>(shape.back());
    const auto expected = entry["bits"].get<std::vector<uint32_t>>();
    const Key key = key_from_seed(1337);
    std::vector<float> out(expected.size());
    if (name == "GlorotUniform") {
      const double limit = std::sqrt(3.0 * (1.0 / ((fan_in + fan_out) / 2.0)));
      fill_uniform<float>(key, 0, out, -limit, limit);
    } else if (name == "OrthogonalDraw") {
      fill_normal<float>(key, 0, out);
    } else {
      const double scale = (name == "HeNormal" ? 2.0 : 1.0) / fan_in;
      fill_truncated_normal<float>(key, 0, out, 0, std::sqrt(scale) / 0.87962566103423978);
    }
    CHECK(bits_of(out) == expected);
  }
}

TEST_CASE("dropout masks equal those of consecutive calls of Keras's layer") {
  for (const json& entry : goldens()["dropouts"]) {
    const auto input = values_of<float>(entry["input"]);
    const double keep = 1.0 - entry["rate"].get<double>();
    const float scale = 1.0f / static_cast<float>(keep);
    Key state = key_from_seed(1337);
    for (size_t call = 0; call < 2; ++call) {
      const std::vector<bool> mask = mask_of(next_key(state), input.size(), keep);
      std::vector<float> output(input.size());
      for (size_t i = 0; i < input.size(); ++i) output[i] = mask[i] ? input[i] * scale : 0.0f;
      CHECK(bits_of(output) == entry["calls"][call].get<std::vector<uint32_t>>());
      if (call == 0) CHECK(bits_of(output) == entry["compiled"].get<std::vector<uint32_t>>());
    }
  }
}

}  // namespace random_bits_test
