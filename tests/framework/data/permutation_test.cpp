// Orders of any length: each number once, another in each epoch, no pattern left.
#include <cornu/cornu.h>
#include <cornu/framework/data/permutation.h>

#include <cmath>
#include <set>

#include "../../catch.h"

namespace permutation_test {

using namespace cornu;

TEST_CASE("a permutation has each number once, for any length") {
  for (const int64_t n : {1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1000, 65537, 100000}) {
    const Permutation order(n, 5, 2);
    std::vector<bool> seen(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = order[i];
      REQUIRE(at >= 0);
      REQUIRE(at < n);
      REQUIRE_FALSE(seen[static_cast<size_t>(at)]);
      seen[static_cast<size_t>(at)] = true;
    }
  }
}

TEST_CASE("a permutation follows from its seed and its epoch") {
  const Permutation a(100000, 1, 0), same(100000, 1, 0), later(100000, 1, 1), other(100000, 2, 0);
  int in_later = 0, in_other = 0;
  for (int64_t i = 0; i < 100000; ++i) {
    REQUIRE(a[i] == same[i]);
    in_later += a[i] == later[i];
    in_other += a[i] == other[i];
  }
  // One place agrees by chance, on average.
  CHECK(in_later < 10);
  CHECK(in_other < 10);
}

TEST_CASE("neighbors in a permutation are far apart, as in a random order") {
  const int64_t n = 200000;
  const Permutation order(n, 3, 0);
  double distance = 0, correlation = 0;
  const double middle = static_cast<double>(n - 1) / 2;
  for (int64_t i = 0; i < n; ++i) {
    if (i) distance += std::abs(static_cast<double>(order[i] - order[i - 1]));
    correlation += (static_cast<double>(i) - middle) * (static_cast<double>(order[i]) - middle);
  }
  // The mean distance of two random numbers below n is n / 3.
  CHECK(distance / static_cast<double>(n - 1) == Approx(static_cast<double>(n) / 3).epsilon(0.02));
  CHECK(std::abs(correlation) / (static_cast<double>(n) * n * static_cast<double>(n) / 12) < 0.02);
}

TEST_CASE("a place is found at once in an order of any length") {
  const int64_t n = int64_t{1} << 61;
  const Permutation order(n, 3, 0);
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 1000; ++i) seen.insert(order[n - 1 - i]);
  CHECK(seen.size() == 1000);
  CHECK(*seen.begin() >= 0);
  CHECK(*seen.rbegin() < n);
  CHECK_THROWS_AS(Permutation(0, 1, 1), ValueError);
}

TEST_CASE("a large dataset is shuffled by it, and small and large ones give each sample once") {
  for (const int64_t n : {int64_t{70000}, int64_t{500}}) {
    const Tensor x = ops::arange(0, n, 1, DType::float32);
    TensorDataset data(x, {}, {}, {.batch_size = 33, .shuffle = true, .seed = 4});
    std::vector<std::vector<float>> epochs;
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      data.on_epoch_begin(epoch);
      std::vector<float> all;
      for (int64_t i = 0; i < data.size(); ++i)
        for (const float v : data.batch(i).x.tensor().to_vector<float>()) all.push_back(v);
      data.on_epoch_end(epoch);
      epochs.push_back(all);
      CHECK(std::set<float>(all.begin(), all.end()).size() == static_cast<size_t>(n));
    }
    CHECK(epochs[0] != epochs[1]);
    // Another object with the state of this one gives the same batches.
    TensorDataset other(x, {}, {}, {.batch_size = 33, .shuffle = true, .seed = 9});
    other.set_state(data.get_state());
    other.on_epoch_begin(1);
    CHECK(other.batch(3).x.tensor().to_vector<float>() ==
          std::vector<float>(epochs[1].begin() + 99, epochs[1].begin() + 132));
    CHECK_THROWS_AS(other.set_state({}), ValueError);
  }
}

}  // namespace permutation_test
