// Samples through random stages to batches of random sizes: each row keeps what belongs to it.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "catch.h"

namespace pipeline_batches_test {

using namespace cornu;

namespace {

using Numbers = std::vector<int64_t>;

// Sample i: {"a": (i, -i), "b": i}, targets [10 i, "i"], weight i / 2.
data::Pipeline<Batch> samples(int64_t n) {
  std::vector<float> a, targets, weights;
  std::vector<std::string> names;
  Numbers b(static_cast<size_t>(n));
  std::iota(b.begin(), b.end(), 0);
  for (const int64_t i : b) {
    const float f = static_cast<float>(i);
    a.insert(a.end(), {f, -f});
    targets.push_back(10 * f);
    weights.push_back(f / 2);
    names.push_back(std::to_string(i));
  }
  return data::from(Nest{{"a", Tensor::from(a, {n, 2})}, {"b", Tensor::from(b, {n})}},
                    Nest{Tensor::from(targets, {n, 1}), Tensor::strings(names, {n})},
                    Tensor::from(weights, {n}));
}

// The numbers of a batch's samples, if all that belongs to each is there.
Numbers numbers_of(const Batch& batch) {
  const Numbers numbers = batch.x["b"].tensor().to_vector<int64_t>();
  const auto count = static_cast<int64_t>(numbers.size());
  const auto a = batch.x["a"].tensor().to_vector<float>(),
             targets = batch.y[0].tensor().to_vector<float>(),
             weights = batch.sample_weight.tensor().to_vector<float>();
  const auto names = batch.y[1].tensor().to_strings();
  REQUIRE(batch.x["a"].tensor().shape() == Shape{count, 2});
  REQUIRE(batch.y[0].tensor().shape() == Shape{count, 1});
  REQUIRE(names.size() == numbers.size());
  REQUIRE(weights.size() == numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float f = static_cast<float>(numbers[i]);
    CHECK(a[2 * i] == f);
    CHECK(a[2 * i + 1] == -f);
    CHECK(targets[i] == 10 * f);
    CHECK(weights[i] == f / 2);
    CHECK(names[i] == std::to_string(numbers[i]));
  }
  return numbers;
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }

 private:
  std::mt19937_64 engine_;
};

// Sizes of batches of `count` of so many samples.
Numbers sizes_of(int64_t samples, int64_t count, bool drop) {
  Numbers sizes(static_cast<size_t>(samples / count), count);
  if (samples % count != 0 && !drop) sizes.push_back(samples % count);
  return sizes;
}

}  // namespace

TEST_CASE("random stages and batches keep each sample whole") {
  for (uint64_t seed = 0; seed < 250; ++seed) {
    Dice dice(seed);
    const int64_t n = dice.below(4) == 0 ? dice.below(2) : dice.below(30);
    std::string text = std::to_string(n) + " samples";
    Numbers expected(static_cast<size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    data::Pipeline<Batch> p = samples(n);
    bool shuffled = false;
    for (int64_t stages = dice.below(4); stages > 0; --stages) {
      const int64_t size = static_cast<int64_t>(expected.size()), count = dice.below(size + 2);
      switch (dice.below(7)) {
        case 0:
          p = p.map([](Batch b) { return b; }, {.workers = dice.below(3)});
          text += ", map";
          break;
        case 1: {
          const auto kept = [](int64_t i) { return i % 3 != 1; };
          p = p.filter([kept](const Batch& b) { return kept(std::lround(b.x["b"].item())); });
          std::erase_if(expected, [&](int64_t i) { return !kept(i); });
          text += ", filter";
          break;
        }
        case 2:
          if (shuffled) break;
          p = p.take(count);
          expected.resize(static_cast<size_t>(std::min(size, count)));
          text += ", take " + std::to_string(count);
          break;
        case 3:
          if (shuffled) break;
          p = p.skip(count);
          expected.erase(expected.begin(), expected.begin() + std::min(size, count));
          text += ", skip " + std::to_string(count);
          break;
        case 4: {
          p = p.repeat(2);
          const Numbers once = expected;
          expected.insert(expected.end(), once.begin(), once.end());
          text += ", repeat 2";
          break;
        }
        case 5:
          p = p.shuffle({.window = 1 + dice.below(6), .seed = 4});
          shuffled = true;
          text += ", shuffle";
          break;
        default:
          p = dice.below(2) == 0 ? p.cache() : p.prefetch(2);
          text += ", cache or prefetch";
      }
    }
    int64_t rows = static_cast<int64_t>(expected.size());
    const int64_t count = 1 + dice.below(9);
    bool drop = dice.below(3) == 0;
    p = p.batch(count, {.drop_remainder = drop});
    Numbers sizes = sizes_of(rows, count, drop);
    text += ", batch " + std::to_string(count) + (drop ? " dropping" : "");
    for (int64_t again = dice.below(3); again > 0; --again) {
      rows = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
      const int64_t other = 1 + dice.below(9);
      drop = dice.below(3) == 0;
      p = p.rebatch(other, {.drop_remainder = drop});
      sizes = sizes_of(rows, other, drop);
      text += ", rebatch " + std::to_string(other) + (drop ? " dropping" : "");
    }
    rows = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    INFO("seed " << seed << ": " << text);
    Numbers got, got_sizes;
    for (const Batch& batch : p) {
      const Numbers numbers = numbers_of(batch);
      got_sizes.push_back(static_cast<int64_t>(numbers.size()));
      got.insert(got.end(), numbers.begin(), numbers.end());
    }
    CHECK(got_sizes == sizes);
    if (const int64_t size = p.size(); size >= 0) CHECK(size == static_cast<int64_t>(sizes.size()));
    if (shuffled) {
      // Of those that a remainder dropped nobody knows which they were.
      std::sort(got.begin(), got.end());
      std::sort(expected.begin(), expected.end());
      CHECK(std::includes(expected.begin(), expected.end(), got.begin(), got.end()));
    } else {
      expected.resize(static_cast<size_t>(rows));
      CHECK(got == expected);
    }
  }
}

TEST_CASE("a batch may be larger than the data, or of one sample") {
  const auto sizes = [](const data::Pipeline<Batch>& p) {
    Numbers found;
    for (const Batch& batch : p) found.push_back(batch.x["b"].tensor().size());
    return found;
  };
  CHECK(sizes(samples(3).batch(10)) == Numbers{3});
  CHECK(sizes(samples(3).batch(10, {.drop_remainder = true})).empty());
  CHECK(samples(3).batch(10, {.drop_remainder = true}).size() == 0);
  CHECK(sizes(samples(0).batch(2)).empty());
  CHECK(sizes(samples(1).batch(1)) == Numbers{1});
  CHECK(sizes(samples(3).batch(1).rebatch(8)) == Numbers{3});
  CHECK(sizes(samples(8).batch(8).rebatch(3, {.drop_remainder = true})) == Numbers{3, 3});
  CHECK(sizes(samples(5).batch(2).repeat(2)) == Numbers{2, 2, 1, 2, 2, 1});
  CHECK(sizes(samples(5).repeat(2).batch(4)) == Numbers{4, 4, 2});
  CHECK(sizes(samples(5).batch(2).shuffle({.window = 1})) == Numbers{2, 2, 1});
}

TEST_CASE("an error in a stage before batches ends the walk, and leaves the pipeline usable") {
  int64_t bad = 5;
  const auto p = samples(9)
                     .map([&bad](Batch b) {
                       if (std::lround(b.x["b"].item()) == bad) throw ValueError("sample 5 is bad");
                       return b;
                     })
                     .batch(2);
  for (int round = 0; round < 2; ++round) {
    const auto stream = p.open(round);
    CHECK(numbers_of(*stream->next()) == Numbers{0, 1});
    CHECK(numbers_of(*stream->next()) == Numbers{2, 3});
    CHECK_THROWS_AS(stream->next(), data::DataError);
  }
  bad = -1;
  int64_t batches = 0;
  for (const Batch& batch : p) batches += numbers_of(batch).empty() ? 0 : 1;
  CHECK(batches == 5);
}

}  // namespace pipeline_batches_test
