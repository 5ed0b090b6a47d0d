// Normalization as operations, and the derivatives of the Normalize kernel.
#include <cmath>

#include <cornu/framework/dispatch/apply.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/nn/normalization.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"

namespace normalization_test {

using namespace cornu;
using test::error_of;
using test::gradient_error;
using test::noise;

namespace {

double distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return ops::max(ops::abs(ops::cast(a, DType::float64) - ops::cast(b, DType::float64))).item();
}

// The kernel's three outputs, y squared so that its gradient varies, in one tensor.
Tensor run_kernel(const backend::Normalize& kernel, const std::vector<Tensor>& inputs) {
  const Tensor& x = inputs[0];
  Shape statistics = {x.shape().back()};
  if (!kernel.channels) statistics = x.shape().slice(0, x.rank() - 1);
  const TensorSpec specs[] = {x.spec(), {statistics, x.dtype()}, {statistics, x.dtype()}};
  const Tensors out = apply(kernel, inputs, specs);
  const Tensor y = out[0] * out[0] + out[0];
  return ops::concatenate({ops::reshape(y, {-1}), ops::reshape(out[1] * out[1], {-1}),
                           ops::reshape(out[2] * out[1] + out[2], {-1})});
}

}  // namespace

TEST_CASE("normalization has first and second derivatives") {
  for (int form = 0; form < 16; ++form) {
    const backend::Normalize kernel{.channels = (form & 1) != 0,
                                    .centered = (form & 2) != 0,
                                    .scale = (form & 4) != 0,
                                    .offset = (form & 8) != 0,
                                    .epsilon = 0.1};
    INFO("form " << form);
    std::vector<Tensor> inputs = {noise({3, 2, 4}, -1, 2, 1)};
    if (kernel.scale) inputs.push_back(noise({4}, 0.5, 2, 2));
    if (kernel.offset) inputs.push_back(noise({4}, -1, 1, 3));
    auto value = [&](const std::vector<Tensor>& x) { return run_kernel(kernel, x); };
    CHECK(gradient_error(value, inputs) < 1e-7);
    auto slopes = [&](const std::vector<Tensor>& x) {
      GradientTape tape;
      for (const Tensor& t : x) tape.watch(t);
      const Tensor loss = ops::sum(value(x) * noise(value(x).shape(), 0.5, 1.5, 4));
      std::vector<Tensor> flat;
      for (const Tensor& g : tape.gradient(loss, x)) flat.push_back(ops::reshape(g, {-1}));
      return ops::concatenate(flat);
    };
    CHECK(gradient_error(slopes, inputs) < 1e-6);
  }
}

TEST_CASE("gradients of normalization have the dtypes of what they belong to") {
  const Tensor x = ops::cast(noise({4, 6}), DType::float16), scale = ops::ones({6});
  GradientTape tape;
  tape.watch(x);
  tape.watch(scale);
  const Tensor y = ops::layer_normalization(x, scale, ops::zeros({6}));
  CHECK(y.dtype() == DType::float16);
  const auto gradients = tape.gradient(y * y, {x, scale});
  CHECK(gradients[0].dtype() == DType::float16);
  CHECK(gradients[1].dtype() == DType::float32);
}

TEST_CASE("layer_normalization over last axes, other axes and all") {
  const Tensor x = noise({2, 3, 4});
  for (const Axes& axes : {Axes(-1), Axes({1, 2}), Axes({0, 2}), Axes(1), Axes({0, 1, 2})}) {
    Shape sizes, along(std::vector<int64_t>(3, 1));
    for (int a : axes.resolve(3)) {
      sizes.push_back(x.shape()[a]);
      along[a] = x.shape()[a];
    }
    const Tensor gamma = noise(sizes, 0.5, 2, 5), beta = noise(sizes, -1, 1, 6);
    const auto [mean, variance] = ops::moments(x, axes, true);
    const Tensor plain = (x - mean) / ops::sqrt(variance + Tensor(1e-7));
    CHECK(distance(ops::layer_normalization(x, {}, {}, axes), plain) < 1e-12);
    CHECK(distance(ops::layer_normalization(x, gamma, beta, axes),
                   plain * ops::reshape(gamma, along) + ops::reshape(beta, along)) < 1e-12);
    CHECK(distance(ops::layer_normalization(x, gamma, {}, axes, 0.5, true),
                   x / ops::sqrt(variance + Tensor(0.5)) * ops::reshape(gamma, along)) < 1e-12);
    const Tensor squares = ops::mean(ops::square(x), axes, true);
    CHECK(distance(ops::rms_normalization(x, {}, axes, 0.5), x / ops::sqrt(squares + Tensor(0.5))) <
          1e-12);
    auto value = [&](const std::vector<Tensor>& t) {
      return ops::square(ops::layer_normalization(t[0], t[1], t[2], axes, 0.1));
    };
    CHECK(gradient_error(value, {x, gamma, beta}) < 1e-7);
  }
  const Tensor scale = noise({4}, 0.5, 2, 7);
  CHECK(distance(ops::rms_normalization(x, scale),
                 x / ops::sqrt(ops::mean(ops::square(x), -1, true) + Tensor(1e-7)) * scale) <
        1e-12);
  CHECK(ops::layer_normalization(Tensor::from({1, 3}, {2})).dtype() == DType::int32);
}

TEST_CASE("batch_normalization lays its vectors along an axis") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  const Tensor mean = Tensor::from({1.0f, 2.0f}, {2}), variance = Tensor::from({4.0f, 16.0f}, {2});
  CHECK(ops::batch_normalization(x, mean, variance, 1, {}, {}, 0).to_vector<float>() ==
        std::vector<float>{0, 0, 1, 0.5f});
  CHECK(ops::batch_normalization(x, mean, variance, 0, mean, variance, 0).to_vector<float>() ==
        std::vector<float>{1, 3, 6, 10});
  CHECK(error_of([&] {
          ops::batch_normalization(x, ops::ones({3}), variance, 0);
        }).find("argument 'mean' has shape (3,), expected (2,)") != std::string::npos);
}

TEST_CASE("normalize makes vectors of length 1") {
  const Tensor x = Tensor::from({3.0f, -4.0f, 0.0f, 0.0f}, {2, 2});
  CHECK(distance(ops::normalize(x), Tensor::from({0.6f, -0.8f, 0.0f, 0.0f}, {2, 2})) < 1e-6);
  CHECK(distance(ops::normalize(x, 1, 1), Tensor::from({3 / 7.0f, -4 / 7.0f, 0.0f, 0.0f}, {2, 2})) <
        1e-6);
  CHECK(distance(ops::normalize(x, {}, 3), x / Tensor(std::cbrt(91.0))) < 1e-6);
  CHECK_THROWS_AS(ops::normalize(x, -1, 0), ValueError);
}

TEST_CASE("normalize has a finite gradient at a vector of zeros") {
  const Tensor x = ops::zeros({3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = ops::sum(ops::normalize(x, -1, 2, 1e-3));
  for (const float g : tape.gradient(y, x).to_vector<float>()) CHECK(g == Approx(1000));
}

TEST_CASE("normalization in graphs") {
  const Tensor x = Input({3});
  Tensor y = ops::layer_normalization(x);
  y = ops::rms_normalization(y, {}, -1, 0.5);
  y = ops::normalize(ops::batch_normalization(y, ops::zeros({3}), ops::ones({3}), -1));
  CHECK(y.shape() == Shape{Shape::unknown, 3});
  Functional model(x, y);
  const Tensor value = Tensor::from({1.0f, 2.0f, 4.0f}, {1, 3});
  const Tensor expected = ops::normalize(ops::layer_normalization(value));
  CHECK(distance(model(value), expected) < 1e-6);
}

}  // namespace normalization_test
