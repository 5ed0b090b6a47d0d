// The contract of the layers that merge tensors, and their formulas.
#include <cornu/cornu.h>

#include <algorithm>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace merging_contract_test {

using namespace cornu;
using test::check_layer;
using test::equals;
using test::error_of;
using test::has;

namespace {

template <class Layer>
void check_merge(double (*combine)(const std::vector<double>&), size_t count) {
  test::LayerExpectation expected{.output = {2, 3}};
  for (size_t i = 0; i < count; ++i) expected.inputs.push_back({2, 3});
  check_layer<Layer>({}, expected);
  // Axes of size 1, and fewer axes, broadcast.
  expected.inputs[0] = {2, 1};
  check_layer<Layer>({}, expected);

  const std::vector<std::vector<float>> rows = {{1, -2, 3, 0.5f}, {4, 5, -6, 0.25f}, {-1, 7, 2, 8}};
  Nest::List tensors;
  std::vector<double> wanted;
  for (size_t i = 0; i < count; ++i) tensors.push_back(Tensor::from(rows[i], {1, 4}));
  for (size_t k = 0; k < 4; ++k) {
    std::vector<double> column;
    for (size_t i = 0; i < count; ++i) column.push_back(rows[i][k]);
    wanted.push_back(combine(column));
  }
  Layer layer;
  CHECK(equals(layer(Nest(tensors)).tensor(), wanted));
}

double sum_of(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}

double product_of(const std::vector<double>& v) {
  double product = 1;
  for (double x : v) product *= x;
  return product;
}

// A mask of three steps for {batch 1, 3 steps, 2 features}.
Tensor masked(const std::vector<int>& real) {
  std::vector<float> flags(real.begin(), real.end());
  return ops::ones({1, 3, 2}).with_mask(ops::cast(Tensor::from(flags, {1, 3}), DType::boolean));
}

}  // namespace

TEST_CASE("Add keeps a layer's contract") {
  check_merge<layers::Add>(sum_of, 2);
  check_merge<layers::Add>(sum_of, 3);
}

TEST_CASE("Average keeps a layer's contract") {
  const auto mean = [](const std::vector<double>& v) {
    return sum_of(v) / static_cast<double>(v.size());
  };
  check_merge<layers::Average>(mean, 2);
  check_merge<layers::Average>(mean, 3);
}

TEST_CASE("Multiply keeps a layer's contract") {
  check_merge<layers::Multiply>(product_of, 2);
  check_merge<layers::Multiply>(product_of, 3);
}

TEST_CASE("Subtract keeps a layer's contract") {
  check_merge<layers::Subtract>([](const std::vector<double>& v) { return v[0] - v[1]; }, 2);
}

TEST_CASE("Maximum and Minimum keep a layer's contract") {
  check_merge<layers::Maximum>(
      [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }, 3);
  check_merge<layers::Minimum>(
      [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }, 3);
}

TEST_CASE("equal maxima share the gradient as in Keras's backends, and none is lost") {
  const Tensor a = Tensor::from({1.0f, 5.0f}, {1, 2}), b = Tensor::from({3.0f, 2.0f}, {1, 2});
  GradientTape tape;
  tape.watch(a);
  tape.watch(b);
  const Tensor y = layers::Maximum()(Nest{a, b}).tensor();
  const auto gradients = tape.gradient(y, std::vector<Tensor>{a, b});
  CHECK(equals(gradients[0], {0, 1}));
  CHECK(equals(gradients[1], {1, 0}));
}

TEST_CASE("a merge's mask holds where any input's does, and only if all have one") {
  const Tensor y = layers::Add()(Nest{masked({1, 0, 0}), masked({1, 1, 0})}).tensor();
  REQUIRE(y.mask());
  CHECK(equals(y.mask(), {1, 1, 0}));
  CHECK(!layers::Add()(Nest{masked({1, 0, 0}), ops::ones({1, 3, 2})}).tensor().mask());
}

TEST_CASE("merges in a functional model are saved, and take the list in its order") {
  Input a({2}), b({2});
  const Tensor d = layers::Subtract({.name = "difference"})(Nest{b, a}).tensor();
  Functional model(Nest{a, b}, d);
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const Nest x{Tensor::from({1.0f, 2.0f}, {1, 2}), Tensor::from({10.0f, 20.0f}, {1, 2})};
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(equals(model.predict(x, quiet).tensor(), {9, 18}));
  CHECK(equals(loaded->predict(x, quiet).tensor(), {9, 18}));
}

TEST_CASE("merges in mixed precision take inputs of both types") {
  layers::Add add({.dtype = "mixed_float16"});
  const Tensor y = add(Nest{ops::ones({1, 2}), ops::ones({1, 2}, DType::float16)}).tensor();
  CHECK(y.dtype() == DType::float16);
  CHECK(equals(y, {2, 2}));
}

TEST_CASE("merges explain what does not fit") {
  layers::Add add({.name = "both"});
  const std::string shapes = error_of([&] { add(Nest{ops::ones({2, 3}), ops::ones({2, 4})}); });
  CHECK(has(shapes, "(2, 3)"));
  CHECK(has(shapes, "(2, 4)"));
  CHECK(has(shapes, "both"));
  CHECK_THROWS_AS(layers::Subtract()(Nest{ops::ones({2}), ops::ones({2}), ops::ones({2})}), Error);
  CHECK_THROWS_AS(add(Nest{ops::ones({2, 3}), ops::ones({3, 3})}), ShapeError);
}

}  // namespace merging_contract_test
