// EinsumDense, and the Einstein sums it rests on.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/einsum_dense.h>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"
#include "../../support/recorded.h"

namespace einsum_dense_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("einsum computes what Keras computes") { test::check_recorded_einsum(); }

TEST_CASE("einsum has a gradient") {
  const Tensor a = test::noise({2, 3, 4}), b = test::noise({2, 4, 5}, -1, 1, 2);
  for (const char* text : {"bij,bjk->bik", "bij,bjk->kb", "bij,bjk->bijk", "...ij,...jk->...ki"}) {
    INFO(text);
    const auto f = [&](const std::vector<Tensor>& x) { return ops::einsum(text, x); };
    CHECK(test::gradient_error(f, {a, b}) < 1e-6);
  }
  const auto trace = [](const std::vector<Tensor>& x) { return ops::einsum("iij->j", x); };
  CHECK(test::gradient_error(trace, {test::noise({3, 3, 2})}) < 1e-6);
}

TEST_CASE("einsum is part of a graph") {
  const Tensor a = Input({3, 4}), b = Input({4, 5});
  const Tensor y = ops::einsum("bij,bjk->bki", {a, b});
  CHECK(y.shape() == Shape{std::nullopt, 5, 3});
  Functional model(Nest{a, b}, y);
  const auto copy = std::dynamic_pointer_cast<Functional>(deserialize(serialize(model)));
  REQUIRE(copy);
  const Tensor x = test::noise({2, 3, 4}), z = test::noise({2, 4, 5}, -1, 1, 2);
  const Tensor expected = ops::einsum("bij,bjk->bki", {x, z});
  CHECK(test::difference(model(Nest{x, z}).tensor(), expected) < 1e-6);
  CHECK(test::difference((*copy)(Nest{x, z}).tensor(), expected) < 1e-6);
}

TEST_CASE("einsum says what is wrong") {
  const Tensor a = test::noise({2, 3}), b = test::noise({4, 5});
  CHECK_THROWS_AS(ops::einsum("ab,bc->ac", {a, b}), ShapeError);
  CHECK_THROWS_AS(ops::einsum("abc,bc->ac", {a, b}), ShapeError);
  CHECK_THROWS_AS(ops::einsum("ab,bc->ac", {a}), ValueError);
  CHECK_THROWS_AS(ops::einsum("ab->z", {a}), ValueError);
  CHECK_THROWS_AS(ops::einsum("a?->a", {a}), ValueError);
}

TEST_CASE("EinsumDense computes what Keras computes") { test::check_recorded("einsum dense"); }

TEST_CASE("EinsumDense keeps a layer's contract") {
  check_layer<layers::EinsumDense>({.equation = "abc,cd->abd",
                                    .output_shape = {std::nullopt, 2},
                                    .activation = "tanh",
                                    .bias_axes = "d"},
                                   {.input = {2, 3, 4}, .output = {2, 3, 2}, .weights = 2});
  check_layer<layers::EinsumDense>({.equation = "ab...,bc->ac...", .output_shape = {2}},
                                   {.input = {2, 3, 2}, .output = {2, 2, 2}, .weights = 1});
}

TEST_CASE("EinsumDense tells its initializer which axes are summed") {
  // 64 inputs to each of 2 * 2 outputs: the limit is sqrt(6 / (64 + 4)) = 0.297.
  layers::EinsumDense dense({.equation = "abc,bcde->ade", .output_shape = {2, 2}});
  dense->ensure_built(Tensor::abstract({1, 8, 8}, DType::float32));
  double largest = 0;
  for (double v : dense->kernel.value().to_vector<double>())
    largest = std::max(largest, std::abs(v));
  CHECK(largest < 0.298);
  CHECK(largest > 0.26);
}

TEST_CASE("EinsumDense begins with the weights that its initializer has drawn a seed for") {
  const Tensor x = test::noise({2, 4});
  random::set_seed(1);
  const layers::Dense dense({.units = 3});
  dense(x);
  const int64_t next = random::default_seed();
  random::set_seed(1);
  const layers::EinsumDense einsum({.equation = "ab,bc->ac", .output_shape = {3}});
  einsum(x);
  CHECK(random::default_seed() == next);
  CHECK(einsum->kernel.value().to_vector<float>() == dense->kernel.value().to_vector<float>());
}

TEST_CASE("EinsumDense says what is wrong") {
  const Tensor x = test::noise({2, 3, 4});
  CHECK_THROWS_AS(layers::EinsumDense({.equation = "abc->ab", .output_shape = {3}}), ValueError);
  layers::EinsumDense wrong({.equation = "abc,cd->abd", .output_shape = {5, 2}});
  CHECK_THROWS_AS(wrong(x), ShapeError);
  layers::EinsumDense short_output({.equation = "abc,cd->abd", .output_shape = {2}});
  CHECK_THROWS_AS(short_output(x), ShapeError);
  layers::EinsumDense bias(
      {.equation = "abc,cd->abd", .output_shape = {std::nullopt, 2}, .bias_axes = "c"});
  CHECK_THROWS_AS(bias(x), ValueError);
}

}  // namespace einsum_dense_test
