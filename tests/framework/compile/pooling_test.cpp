// Convolutions, pooling and gradients of biases that become one step of a plan, and stay what they
// were.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/device.h>

#include <functional>

#include "catch.h"
#include "support/gradient_check.h"

namespace pooling_test {

using namespace cornu;

namespace {

Tensor noise(const Shape& shape, int seed) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

using Body = std::function<Nest(const Tensor&)>;

// Runs a body by itself and as a plan; returns how many steps of this kind the plan has.
int count(const Body& body, const Shape& shape, const std::string& kernel) {
  auto f = function(body);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = noise(shape, 20 + i);
    const std::vector<Tensor> found = f(x).flatten(), expected = body(x).flatten();
    REQUIRE(found.size() == expected.size());
    for (size_t k = 0; k < found.size(); ++k) {
      REQUIRE(found[k].shape() == expected[k].shape());
      const auto a = found[k].to_vector<float>(), b = expected[k].to_vector<float>();
      for (size_t j = 0; j < a.size(); ++j) CHECK(a[j] == Approx(b[j]).margin(1e-4));
    }
  }
  const std::string passes = f->passes(), last = passes.substr(passes.rfind("schedule, "));
  int steps = 0;
  for (size_t at = last.find(" = "); at != std::string::npos; at = last.find(" = ", at + 1))
    steps += last.compare(at + 3, kernel.size() + 1, kernel + "(") == 0 ? 1 : 0;
  return steps;
}

backend::Fusions fusions() { return detail::current_backend().fusions(); }

}  // namespace

TEST_CASE("a convolution pools its results") {
  const int pools = fusions().conv_pool ? 0 : 1;
  for (const int64_t filters : {32, 5}) {
    const Tensor kernel = noise({3, 3, 1, filters}, 1), bias = noise({filters}, 2);
    const auto convolved = [&](const Tensor& x) { return ops::relu(ops::conv(x, kernel) + bias); };
    CHECK(count([&](const Tensor& x) { return Nest(ops::max_pool(convolved(x), {2})); },
                {3, 12, 10, 1}, "pool") == pools);
    CHECK(count(
              [&](const Tensor& x) {
                return Nest(ops::average_pool(convolved(x), {3}, std::vector<int64_t>{2}, "same"));
              },
              {3, 12, 10, 1}, "pool") == pools);
    // What is pooled is wanted by others too.
    CHECK(count(
              [&](const Tensor& x) {
                const Tensor y = convolved(x);
                return Nest(std::vector<Tensor>{ops::max_pool(y, {2}), y});
              },
              {3, 12, 10, 1}, "pool") == 1);
  }
}

TEST_CASE("the derivative of max pooling takes that of the relu, and filters' that of the bias") {
  const int64_t block = detail::current_backend().channel_block();
  for (const int64_t filters : {32, 5}) {
    const bool in_blocks = block != 0 && filters % block == 0;
    const int sums = in_blocks && fusions().conv_bias_gradient ? 0 : 1;
    const Tensor kernel = noise({3, 3, 2, filters}, 1), bias = noise({filters}, 2);
    const auto step = [&](const char* padding) {
      return [&, padding](const Tensor& x) {
        GradientTape tape;
        tape.watch(kernel);
        tape.watch(bias);
        const Tensor y = ops::relu(ops::conv(x, kernel, {1}, padding) + bias);
        return Nest(tape.gradient(ops::max_pool(y, {2}), std::vector<Tensor>{kernel, bias}));
      };
    };
    CHECK(count(step("valid"), {3, 12, 9, 2}, "fused") == 0);
    CHECK(count(step("valid"), {3, 12, 9, 2}, "reduce") == sums);
    CHECK(count(step("same"), {3, 12, 9, 2}, "fused") == 0);
  }
  // Of other functions than relu nothing is taken.
  const Tensor kernel = noise({3, 3, 2, 4}, 1);
  CHECK(count(
            [&](const Tensor& x) {
              GradientTape tape;
              tape.watch(kernel);
              const Tensor y = ops::tanh(ops::conv(x, kernel));
              return Nest(tape.gradient(ops::max_pool(y, {2}), kernel));
            },
            {3, 8, 8, 2}, "fused") >= 1);
}

TEST_CASE("zeros around an operand become the padding of what reads it") {
  const auto around = [](const Tensor& x, int64_t low, int64_t high, double value = 0) {
    return ops::pad(x, {{0, 0}, {low, high}, {low, high}, {0, 0}}, "constant", value);
  };
  const Shape shape{2, 9, 8, 3};
  const Tensor kernel = noise({3, 3, 3, 4}, 1);
  const auto convolution = [&](int64_t low, int64_t high, const char* padding, double value = 0) {
    return [=, &around](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      tape.watch(kernel);
      const Tensor y = ops::conv(around(x * 2, low, high, value), kernel, {2}, padding);
      std::vector<Tensor> results = tape.gradient(ops::square(y), std::vector<Tensor>{x, kernel});
      results.push_back(y);
      return Nest(results);
    };
  };
  CHECK(count(convolution(1, 1, "valid"), shape, "copy") == 0);
  CHECK(count(convolution(2, 2, "valid"), shape, "copy") == 0);
  CHECK(count(convolution(1, 1, "same"), shape, "copy") == 0);
  // A window would lie in the padding alone, the ends differ, or these are no zeros.
  CHECK(count(convolution(3, 3, "valid"), shape, "copy") == 2);
  CHECK(count(convolution(0, 1, "valid"), shape, "copy") == 2);
  CHECK(count(convolution(1, 1, "valid", 1), shape, "copy") == 1);  // the gradient has a border

  const auto pooling = [&](int64_t low, int64_t high, auto activation, int64_t window) {
    return [=, &around](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      // Many windows hold nothing but zeros.
      const Tensor y =
          ops::max_pool(around(activation(x - 0.8), low, high), {window}, std::vector<int64_t>{2});
      return Nest(std::vector<Tensor>{tape.gradient(ops::square(y), x), y});
    };
  };
  const auto relu = [](const Tensor& x) { return ops::relu(x); };
  const auto none = [](const Tensor& x) { return x * 1.5; };
  CHECK(count(pooling(1, 1, relu, 3), shape, "copy") == 0);
  CHECK(count(pooling(0, 2, relu, 3), shape, "copy") == 0);
  // Windows beside the elements, and elements below the zeros.
  CHECK(count(pooling(2, 0, relu, 2), shape, "copy") == 2);
  CHECK(count(pooling(1, 1, none, 3), shape, "copy") == 2);
  // The gradient of a relu's result itself: ties decide where it goes.
  const auto result = [&](const Tensor& x) {
    const Tensor y = ops::relu(x - 0.8);
    GradientTape tape;
    tape.watch(y);
    return Nest(tape.gradient(ops::max_pool(around(y, 1, 1), {3}, std::vector<int64_t>{2}), y));
  };
  CHECK(count(result, shape, "copy") == 2);
  // A part of the gradient that is not that of the operand.
  const auto shifted = [&](const Tensor& x) {
    const Tensor y = ops::relu(x), padded = around(y, 1, 1);
    GradientTape tape;
    tape.watch(padded);
    const Tensor all = tape.gradient(ops::max_pool(padded, {3}, std::vector<int64_t>{2}), padded);
    const Tensor part = all[{Slice(), Slice(0, 9), Slice(0, 8)}];
    return Nest(ops::where(y > 0, part, ops::zeros_like(part)));
  };
  CHECK(count(shifted, shape, "copy") == 2);
  // Nothing at all.
  auto nothing = function([](const Tensor& x) { return Nest(x[{ellipsis, Slice(0, 2)}] * 2); });
  for (int i = 0; i < 3; ++i)
    CHECK(nothing(ops::zeros({8, 0, 4})).flatten()[0].shape() == Shape{8, 0, 2});
  // Others read the padded operand too.
  const auto both = [&](const Tensor& x) {
    const Tensor padded = around(ops::relu(x), 1, 1);
    return Nest(std::vector<Tensor>{ops::max_pool(padded, {3}, std::vector<int64_t>{2}), padded});
  };
  CHECK(count(both, shape, "copy") == 1);
}

}  // namespace pooling_test
