// The labels that SparseCategoricalCrossentropy takes and refuses.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/losses/sparse_categorical_crossentropy.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "losses/golden.h"

namespace sparse_categorical_crossentropy_test {

using namespace cornu;

namespace {

losses::SparseCategoricalCrossentropy sparse() { return losses::SparseCategoricalCrossentropy(); }

}  // namespace

TEST_CASE("a label out of range is named with its place and the range") {
  if (!default_device().is_cpu()) return;  // a GPU is not waited for to look at labels
  const Tensor p = ops::ones({5, 10});
  CHECK_THROWS_WITH(sparse()(Tensor(std::vector<int32_t>{0, 9, 1, 12, 3}), p),
                    test::contains("label 12 at position 3 is not in [0, 10)"));
  CHECK_THROWS_WITH(sparse()(Tensor(std::vector<int64_t>{0, -1, 1, 2, 3}), p),
                    test::contains("label -1 at position 1 is not in [0, 10)"));
  CHECK_THROWS_WITH(sparse()(Tensor(std::vector<float>{0, 1, 1, 2, NAN}), p),
                    test::contains("position 4"));
  CHECK_THROWS_AS(sparse()(Tensor(std::vector<float>{0, 1, 1, 2, 10}), p), ValueError);
  CHECK_THROWS_WITH(sparse()(Tensor::from({0, 1, 2, 11}, {2, 2}), ops::ones({2, 2, 10})),
                    test::contains("label 11 at position (1, 1)"));
  CHECK_THROWS_AS(
      sparse()(ops::cast(Tensor(std::vector<int32_t>{0, 1, 1, 2, 200}), DType::uint8), p),
      ValueError);
}

TEST_CASE("ignored labels may be out of range") {
  if (!default_device().is_cpu()) return;  // a GPU is not waited for to look at labels
  const losses::SparseCategoricalCrossentropy loss({.ignore_class = 255});
  const Tensor y = loss(Tensor(std::vector<int32_t>{0, 255}), ops::ones({2, 4}));
  CHECK(y.item() == Approx(std::log(4.0)));
  CHECK_THROWS_AS(loss(Tensor(std::vector<int32_t>{0, 254}), ops::ones({2, 4})), ValueError);
}

TEST_CASE("labels have the shape of the predictions without the classes") {
  CHECK_THROWS_WITH(sparse()(ops::zeros({5, 10}), ops::ones({5, 10})),
                    test::contains("CategoricalCrossentropy"));
  CHECK_THROWS_WITH(sparse()(ops::zeros({4}), ops::ones({5, 10})),
                    test::contains("(5)") || test::contains("(5,)"));
  CHECK(sparse()(ops::zeros({5, 1}), ops::ones({5, 10})).item() == Approx(std::log(10.0)));
}

TEST_CASE("large numbers of classes are counted right") {
  if (!default_device().is_cpu()) return;  // a GPU is not waited for to look at labels
  const Tensor p = ops::ones({1, 70000});
  CHECK(sparse()(Tensor(std::vector<int32_t>{69999}), p).item() == Approx(std::log(70000.0)));
  CHECK_THROWS_AS(sparse()(Tensor(std::vector<int32_t>{70000}), p), ValueError);
}

TEST_CASE("crossentropies of logits that are no numbers are alike on all devices") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<float> rows = {1,    2,    -3,   0.5f, inf, 1, 0,  2,   -inf,  3,
                                   1,    2,  //
                                   -inf, -inf, -inf, -inf, nan, 1, 2,  3,   inf,   -inf,
                                   inf,  0,    nan,  -inf, 0,   1, 90, -90, 88.5f, 100};
  const Tensor labels(std::vector<int32_t>{1, 0, 1, 2, 1, 1, 3, 3});
  const auto results = [&](const Device& device) {
    const DeviceScope scope(device);
    const Tensor logits = Tensor::from(rows, {8, 4}).to(device);
    GradientTape tape;
    tape.watch(logits);
    const Tensor loss = losses::SparseCategoricalCrossentropy(
        {.from_logits = true, .reduction = "none"})(labels.to(device), logits);
    auto values = loss.to_vector<float>();
    const auto slopes = tape.gradient(loss, logits).to_vector<float>();
    values.insert(values.end(), slopes.begin(), slopes.end());
    return values;
  };
  const auto found = results(default_device()), expected = results(Device::cpu());
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(i << ": " << found[i] << ", expected " << expected[i]);
    CHECK(((std::isnan(found[i]) && std::isnan(expected[i])) || found[i] == expected[i] ||
           found[i] == Approx(expected[i]).epsilon(1e-5).margin(1e-6)));
  }
}

}  // namespace sparse_categorical_crossentropy_test
