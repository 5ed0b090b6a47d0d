// Reductions against Keras.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/detail/sum_to_shape.h>
#include <cornu/framework/ops/ops.h>

#include <limits>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"

namespace reduction_ops_test {

using namespace cornu;
using cornu::test::error_of;

TEST_CASE("reductions give Keras's values and dtypes") {
  cornu::test::check_op_goldens("reduction");
}

TEST_CASE("sum_to_shape is the reverse of broadcasting") {
  const Tensor x = ops::ones({4, 2, 3});
  const Tensor y = detail::sum_to_shape(x, {2, 1});
  CHECK(y.shape() == Shape{2, 1});
  CHECK(y.to_vector<float>() == std::vector<float>{12, 12});
  CHECK(detail::sum_to_shape(x, {}).item() == 24);
  CHECK(detail::sum_to_shape(x, {4, 2, 3}).impl() == x.impl());
}

TEST_CASE("long sums keep their precision") {
  const int64_t n = 1'000'000;
  CHECK(ops::sum(ops::full({n}, 0.1)).item() == Approx(100000.0).epsilon(1e-5));
  CHECK(ops::sum(ops::full({n / 100}, 0.125, DType::bfloat16)).item() ==
        Approx(1250.0).epsilon(0.01));
  CHECK(ops::mean(ops::full({n}, 1000.0, DType::float16)).item() == 1000.0);
}

TEST_CASE("running products and sums of truth values count them") {
  const Tensor x = Tensor::from({0.5f, 4.0f, 0.0f}, {3});
  const Tensor product = ops::cumprod(x, 0, DType::boolean);
  CHECK(product.dtype() == DType::int32);
  CHECK(product.to_vector<int32_t>() == std::vector<int32_t>{1, 1, 0});
  CHECK(ops::cumsum(x, 0, DType::boolean).to_vector<int32_t>() == std::vector<int32_t>{1, 2, 2});
}

TEST_CASE("reductions say which axes they refuse") {
  const Tensor x = ops::zeros({2, 3});
  CHECK_THROWS_AS(ops::sum(x, 2), ShapeError);
  CHECK_THROWS_AS(ops::sum(x, -3), ShapeError);
  CHECK_THROWS_AS(ops::sum(x, {0, -2}), ShapeError);
  const std::string range = error_of([&] { ops::sum(x, 5); });
  CHECK(range.find("5") != std::string::npos);
  CHECK(range.find("2") != std::string::npos);
  const Tensor none = ops::zeros({0, 3});
  CHECK(error_of([&] { ops::max(none); }) ==
        "max: nothing to choose from in a tensor of shape (0, 3).");
  CHECK(error_of([&] { ops::argmin(none, 0); }) ==
        "argmin: nothing to choose from in a tensor of shape (0, 3).");
  CHECK(ops::max(none, 1).shape() == Shape{0});
  CHECK(ops::logsumexp(none).item() == -std::numeric_limits<double>::infinity());
  CHECK(ops::logsumexp(none, 0).shape() == Shape{3});
}

TEST_CASE("running products have gradients where factors are 0") {
  const Tensor x = Tensor::from({2.0f, 0.0f, 3.0f, 0.0f, 5.0f}, {1, 5});
  const Tensor weights = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}, {1, 5});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = ops::cumprod(x, 1);
  CHECK(tape.gradient({y}, {x}, {weights})[0].to_vector<float>() ==
        std::vector<float>{1, 22, 0, 0, 0});
  using List = std::vector<Tensor>;
  const auto along = [](const List& l) { return ops::cumprod(l[0], 1); };
  CHECK(cornu::test::gradient_error(along, {cornu::test::noise({2, 7, 3})}) < 1e-6);
}

}  // namespace reduction_ops_test
