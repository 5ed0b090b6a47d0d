// Tests of the data sets: shapes, ranges, and where files are looked for.
#include <catch.h>
#include <cornu/framework/data/datasets.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace datasets_test {

using namespace cornu;

TEST_CASE("digits") {
  const auto [train, test] = datasets::digits();
  CHECK(train.x.shape() == Shape{1437, 8, 8, 1});
  CHECK(train.y.shape() == Shape{1437});
  CHECK(test.x.shape() == Shape{360, 8, 8, 1});
  CHECK(train.x.dtype() == DType::float32);
  CHECK(train.y.dtype() == DType::int32);
  for (const Tensor& x : {train.x, test.x}) {
    const auto values = x.values<float>();
    CHECK(*std::min_element(values.begin(), values.end()) == 0.0f);
    CHECK(*std::max_element(values.begin(), values.end()) == 1.0f);
  }
  // Every class, about equally often, in both parts.
  for (const Tensor& y : {train.y, test.y}) {
    const auto values = y.values<int32_t>();
    for (int digit = 0; digit < 10; ++digit) {
      const auto count = static_cast<double>(std::count(values.begin(), values.end(), digit));
      CHECK(count / static_cast<double>(values.size()) == Approx(0.1).margin(0.04));
    }
  }
}

TEST_CASE("a folder of the user's comes first") {
  ::setenv("CORNU_DATA_DIR", "/nonexistent", 1);
  CHECK(datasets::digits().test.y.size() == 360);  // the sources are still there
  ::unsetenv("CORNU_DATA_DIR");
}

TEST_CASE("sums of Gaussians") {
  const auto data = datasets::gaussians(100, 5);
  REQUIRE(data.x.shape() == Shape{100, 20});
  REQUIRE(data.y.shape() == Shape{100, 1});
  const auto x = data.x.values<float>();
  const auto y = data.y.values<float>();
  double mean = 0;
  for (size_t i = 0; i < 100; ++i) {
    double sum = 0;
    for (size_t k = 0; k < 20; ++k) sum += x[i * 20 + k];
    CHECK(y[i] == Approx(sum).margin(1e-4));
    mean += sum / 2000;
  }
  CHECK(std::abs(mean) < 0.1);
  CHECK(datasets::gaussians(100, 5).x.to_vector<float>() == data.x.to_vector<float>());
  CHECK(datasets::gaussians(100, 6).x.to_vector<float>() != data.x.to_vector<float>());
  CHECK_THROWS_AS(datasets::gaussians(0), ValueError);
}

}  // namespace datasets_test
