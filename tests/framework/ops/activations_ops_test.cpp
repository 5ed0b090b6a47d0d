// Activations: values at places that tell, and gradients.
#include <cornu/framework/ops/ops.h>

#include <cmath>

#include <limits>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"

namespace activations_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;
using List = std::vector<Tensor>;
using Floats = std::vector<float>;

namespace {
Floats of(const Tensor& x) { return x.to_vector<float>(); }
}  // namespace

TEST_CASE("activations have their values") {
  const Tensor x = Tensor::from({-2.0f, -0.25f, 0.0f, 0.25f, 2.0f}, {5});
  CHECK(of(ops::hard_tanh(x)) == Floats{-1, -0.25f, 0, 0.25f, 1});
  CHECK(of(ops::hard_shrink(x)) == Floats{-2, 0, 0, 0, 2});
  CHECK(of(ops::soft_shrink(x)) == Floats{-1.5f, 0, 0, 0, 1.5f});
  CHECK(of(ops::threshold(x, 0.1, -1)) == Floats{-1, -1, -1, 0.25f, 2});
  CHECK(of(ops::sparse_sigmoid(x)) == Floats{0, 0.375f, 0.5f, 0.625f, 1});
  CHECK(of(ops::sparse_plus(x)) == Floats{0, 0.140625f, 0.25f, 0.390625f, 2});
  CHECK(of(ops::squareplus(x, 0)) == Floats{0, 0, 0, 0.25f, 2});
  CHECK(test::all_close(ops::celu(x, 2.0), ops::elu(x / 2.0) * 2.0));
  CHECK(test::all_close(ops::tanh_shrink(x), x - ops::tanh(x)));
  CHECK(of(ops::relu_activation(x, 0.5, 1.0, 0.2)) == Floats{-1.1f, -0.225f, -0.1f, 0.25f, 1});
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(of(ops::relu_activation(Tensor::from({-inf, 0.5f, inf}, {3}), 0, 1, 0.25)) ==
        Floats{0, 0.5f, 1});
  const Tensor whole = ops::relu_activation(Tensor::from({-3, 1, 8}, {3}), 0, 5.0);
  CHECK(whole.dtype() == DType::int32);
  CHECK(whole.to_vector<int32_t>() == std::vector<int32_t>{0, 1, 5});
  CHECK(of(ops::glu(Tensor::from({1.0f, 2.0f, 0.0f, 0.0f}, {4}))) == Floats{0.5f, 1});
  CHECK(of(ops::sparsemax(Tensor::from({3.0f, 1.0f, 0.0f}, {3}))) == Floats{1, 0, 0});
  CHECK(ops::hard_shrink(Tensor::from({1, 3}, {2}), 2).dtype() == DType::int32);
  CHECK_THROWS_AS(ops::glu(x), ShapeError);
}

TEST_CASE("softmax over several axes sums to one over them") {
  const Tensor x = noise({2, 3, 4});
  CHECK(test::all_close(ops::sum(ops::softmax(x, {0, 2}), {0, 2}), ops::ones({3}, DType::float64)));
  CHECK(ops::sum(ops::softmax(x, std::nullopt)).item() == Approx(1));
  CHECK(test::all_close(ops::exp(ops::log_softmax(x, {1, 2})), ops::softmax(x, {1, 2})));
}

TEST_CASE("classes become vectors") {
  const Tensor classes = Tensor::from({0, 2, 2, 1}, {2, 2});
  CHECK(of(ops::multi_hot(classes, 3)) == Floats{1, 0, 1, 0, 1, 1});
  CHECK(ops::one_hot(classes, 3, -1, DType::int32).dtype() == DType::int32);
  CHECK_THROWS_AS(ops::one_hot(classes, 3, -1, {}, true), UnsupportedError);
  CHECK(ops::psnr(ops::zeros({4}), ops::full({4}, 0.1), 1).item() == Approx(20));
}

TEST_CASE("gradients of activations agree with finite differences") {
  const Tensor x = noise({3, 4}, -3, 3);
  const auto check = [&](auto f) {
    CHECK(gradient_error([f](const List& l) { return f(l[0]); }, {x}) < 1e-6);
  };
  check([](const Tensor& x) { return ops::celu(x, 0.7); });
  check([](const Tensor& x) { return ops::hard_shrink(x); });
  check([](const Tensor& x) { return ops::soft_shrink(x); });
  check([](const Tensor& x) { return ops::squareplus(x); });
  check([](const Tensor& x) { return ops::sparse_plus(x); });
  check([](const Tensor& x) { return ops::tanh_shrink(x); });
  check([](const Tensor& x) { return ops::glu(x); });
  check([](const Tensor& x) { return ops::softmax(x, std::nullopt); });
  check([](const Tensor& x) { return ops::relu_activation(x, 0.1, 2.0, 0.5); });
}

}  // namespace activations_ops_test
