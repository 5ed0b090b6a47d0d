// GradientTape: its rules, and the gradients of operations against finite differences.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace tape_test {

using namespace cornu;
using cornu::test::gradient_error;
using cornu::test::noise;
using List = std::vector<Tensor>;

namespace {
constexpr double tolerance = 1e-6;
}

TEST_CASE("a tape differentiates what it watches") {
  const Tensor x = Tensor::from({3.0f}, {1});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x;
  CHECK(tape.gradient(y, x).item() == Approx(6.0));
}

TEST_CASE("trainable variables are watched as they are read, others are not") {
  Variable w(Tensor::from({2.0f}, {1})),
      frozen(Tensor::from({5.0f}, {1}), {.name = "f", .trainable = false});
  GradientTape tape;
  const Tensor y = w * w * frozen;
  const auto gradients = tape.gradient(y, List{w.value(), frozen.value()});
  CHECK(gradients[0].item() == Approx(20.0));
  CHECK_FALSE(gradients[1]);
}

TEST_CASE("a variable's gradient is found after it was assigned to") {
  Variable w(Tensor::from({2.0f}, {1}));
  GradientTape tape;
  const Tensor y = w * 3.0;
  w.assign(Tensor::from({7.0f}, {1}));
  CHECK(tape.gradient(y, w).item() == Approx(3.0));
}

TEST_CASE("a target that does not depend on the source has no gradient") {
  const Tensor x = Tensor::from({1.0f}, {1}), z = Tensor::from({1.0f}, {1});
  GradientTape tape;
  tape.watch(x);
  tape.watch(z);
  CHECK_FALSE(tape.gradient(x * 2.0, z));
}

TEST_CASE("a tape is used once unless it is persistent") {
  const Tensor x = Tensor::from({1.0f}, {1});
  GradientTape once;
  once.watch(x);
  const Tensor y = x * x;
  once.gradient(y, x);
  CHECK_THROWS_AS(once.gradient(y, x), StateError);

  GradientTape twice({.persistent = true});
  twice.watch(x);
  const Tensor u = x * x, v = u * x;
  CHECK(twice.gradient(u, x).item() == Approx(2.0));
  CHECK(twice.gradient(v, x).item() == Approx(3.0));
}

TEST_CASE("nested tapes give second derivatives") {
  const Tensor x = Tensor::from({2.0}, {1});
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    first = inner.gradient(ops::exp(x * x), x);
  }
  // d2/dx2 exp(x^2) = (2 + 4 x^2) exp(x^2)
  CHECK(outer.gradient(first, x).item() == Approx(18 * std::exp(4.0)));
}

TEST_CASE("stop_gradient cuts, custom_gradient replaces") {
  const Tensor x = Tensor::from({3.0f}, {1});
  {
    GradientTape tape;
    tape.watch(x);
    CHECK(tape.gradient(x * ops::stop_gradient(x), x).item() == Approx(3.0));
  }
  GradientTape tape;
  tape.watch(x);
  const Tensor y = custom_gradient(x, [](const Tensor& x) {
    return std::pair(
        x * x, std::function<Tensor(const Tensor&)>([](const Tensor& dy) { return dy * 100.0; }));
  });
  CHECK(y.item() == Approx(9.0));
  CHECK(tape.gradient(y, x).item() == Approx(100.0));
}

TEST_CASE("integers have no gradient") {
  GradientTape tape;
  CHECK_THROWS_AS(tape.watch(Tensor::from({1, 2}, {2})), ValueError);
}

TEST_CASE("gradients of elementwise functions") {
  const Tensor any = noise({3, 4}, -2, 2), positive = noise({3, 4}, 0.2, 3),
               inside = noise({3, 4}, -0.9, 0.9);
  auto check = [](const Tensor& x, Tensor (&f)(const Tensor&)) {
    return gradient_error([&](const List& l) { return f(l[0]); }, {x});
  };
  for (auto* f : {&ops::negative, &ops::square, &ops::exp, &ops::expm1, &ops::sin, &ops::cos,
                  &ops::arctan, &ops::sinh, &ops::cosh, &ops::tanh, &ops::arcsinh, &ops::erf,
                  &ops::sigmoid, &ops::softplus, &ops::relu, &ops::absolute})
    CHECK(check(any, *f) < tolerance);
  for (auto* f :
       {&ops::sqrt, &ops::rsqrt, &ops::log, &ops::log1p, &ops::log2, &ops::log10, &ops::reciprocal})
    CHECK(check(positive, *f) < tolerance);
  for (auto* f : {&ops::arcsin, &ops::arccos, &ops::arctanh, &ops::erfinv, &ops::tan})
    CHECK(check(inside, *f) < tolerance);
  for (auto* f : {&ops::silu, &ops::selu, &ops::softsign, &ops::hard_sigmoid, &ops::hard_silu,
                  &ops::log_sigmoid, &ops::mish, &ops::relu6})
    CHECK(check(any, *f) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::gelu(l[0], true); }, {any}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::gelu(l[0], false); }, {any}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::elu(l[0], 0.7); }, {any}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::leaky_relu(l[0], 0.1); }, {any}) <
        tolerance);
}

TEST_CASE("gradients of binary functions, with broadcasting on either side") {
  const Tensor a = noise({2, 3, 4}, 0.5, 2, 1), b = noise({2, 3, 4}, 0.5, 2, 2),
               row = noise({4}, 0.5, 2, 3), column = noise({3, 1}, 0.5, 2, 4),
               scalar = noise({}, 0.5, 2, 5);
  for (auto* f : {&ops::add, &ops::subtract, &ops::multiply, &ops::true_divide, &ops::power,
                  &ops::maximum, &ops::minimum, &ops::arctan2})
    for (const Tensor& other : {b, row, column, scalar}) {
      CHECK(gradient_error([&](const List& l) { return f(l[0], l[1]); }, {a, other}) < tolerance);
      CHECK(gradient_error([&](const List& l) { return f(l[1], l[0]); }, {a, other}) < tolerance);
    }
}

TEST_CASE("gradients of reductions") {
  const Tensor x = noise({3, 4, 5}, 0.2, 2);
  for (const Axes& axes : {Axes(), Axes(0), Axes(-1), Axes({0, 2})})
    for (bool keep : {false, true}) {
      CHECK(gradient_error([&](const List& l) { return ops::sum(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::mean(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::max(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::min(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::prod(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::var(l[0], axes, keep); }, {x}) <
            tolerance);
      CHECK(gradient_error([&](const List& l) { return ops::logsumexp(l[0], axes, keep); }, {x}) <
            tolerance);
    }
}

TEST_CASE("the gradient of a product with a zero in it") {
  const Tensor one_zero = Tensor::from({2.0, 0.0, 3.0}, {3}),
               two_zeros = Tensor::from({2.0, 0.0, 0.0}, {3});
  auto gradient = [](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(ops::prod(x), x).to_vector<double>();
  };
  CHECK(gradient(one_zero) == std::vector<double>{0, 6, 0});
  CHECK(gradient(two_zeros) == std::vector<double>{0, 0, 0});
}

TEST_CASE("gradients of matrix products") {
  const Tensor a = noise({3, 4}), b = noise({4, 5}, -1, 1, 2), batch = noise({2, 3, 4}, -1, 1, 3),
               batch_b = noise({2, 4, 5}, -1, 1, 4), bias = noise({5}, -1, 1, 5),
               vector = noise({4}, -1, 1, 6);
  auto product = [](const List& l) { return ops::matmul(l[0], l[1]); };
  CHECK(gradient_error(product, {a, b}) < tolerance);
  CHECK(gradient_error(product, {batch, b}) < tolerance);
  CHECK(gradient_error(product, {batch, batch_b}) < tolerance);
  CHECK(gradient_error(product, {a, batch_b}) < tolerance);
  CHECK(gradient_error(product, {vector, b}) < tolerance);
  CHECK(gradient_error(product, {a, vector}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::linear(l[0], l[1], l[2]); },
                       {batch, b, bias}) < tolerance);
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      const Tensor left = ta ? noise({2, 4, 3}) : noise({2, 3, 4}),
                   right = tb ? noise({5, 4}) : noise({4, 5});
      CHECK(
          gradient_error([&](const List& l) { return ops::matmul_transposed(l[0], l[1], ta, tb); },
                         {left, right}) < tolerance);
    }
}

TEST_CASE("gradients of convolution and pooling") {
  const Tensor image = noise({2, 6, 5, 4}), kernel = noise({3, 2, 4, 3}, -1, 1, 2),
               grouped = noise({3, 2, 2, 4}, -1, 1, 3);
  for (const char* padding : {"valid", "same"}) {
    for (int64_t stride : {1, 2})
      for (const Tensor& k : {kernel, grouped})
        CHECK(
            gradient_error([&](const List& l) { return ops::conv(l[0], l[1], {stride}, padding); },
                           {image, k}) < tolerance);
    CHECK(gradient_error(
              [&](const List& l) {
                return ops::conv(l[0], l[1], {1}, padding, "channels_last", {2});
              },
              {image, noise({2, 2, 4, 3})}) < tolerance);
    CHECK(gradient_error([&](const List& l) { return ops::max_pool(l[0], {2}, {}, padding); },
                         {image}) < tolerance);
    CHECK(gradient_error(
              [&](const List& l) {
                return ops::average_pool(l[0], {3, 2}, {{2, 1}}, padding);
              },
              {image}) < tolerance);
  }
  CHECK(gradient_error(
            [&](const List& l) { return ops::conv(l[0], l[1], {1}, "same", "channels_first"); },
            {noise({2, 4, 5, 6}), kernel}) < tolerance);
}

TEST_CASE("gradients of moves") {
  const Tensor x = noise({3, 4, 5});
  auto check = [&](const std::function<Tensor(const Tensor&)>& f) {
    return gradient_error([&](const List& l) { return f(l[0]); }, {x});
  };
  CHECK(check([](const Tensor& t) { return ops::reshape(t, {5, -1}); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::transpose(t, {{2, 0, 1}}); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::flip(t, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::tile(t, {2, 1, 3}); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::repeat(t, 3, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::pad(t, {{1, 2}, {0, 1}, {3, 0}}); }) < tolerance);
  CHECK(check([](const Tensor& t) {
          return ops::get_item(t, Value::List{Slice{2, {}, -2}, Ellipsis{}, 1});
        }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::concatenate({t, t * 2.0}, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::stack({t, ops::square(t)}, -1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::split(t, {1, 3}, 2)[1]; }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::broadcast_to(t, {2, 3, 4, 5}); }) < tolerance);
  CHECK(check([](const Tensor& t) {
          return ops::take(t, Tensor::from({1, 1, 0, -1}, {2, 2}), 1);
        }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::take_along_axis(t, ops::argsort(t, -1), -1); }) <
        tolerance);
  CHECK(check([](const Tensor& t) { return ops::sort(t, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::top_k(t, 2)[0]; }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::cumsum(t, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::cumprod(t, 1); }) < tolerance);
  CHECK(check([](const Tensor& t) { return ops::where(t > 0.0, t * 3.0, ops::square(t)); }) <
        tolerance);
  CHECK(check([](const Tensor& t) { return ops::clip(t, -0.5, 0.5); }) < tolerance);
}

TEST_CASE("gradients of softmax and crossentropies") {
  const Tensor x = noise({3, 4}), p = noise({3, 4}, 0.1, 0.9, 2);
  const Tensor labels = Tensor::from({0, 3, 2}, {3}), target = noise({3, 4}, 0.1, 0.9, 3);
  CHECK(gradient_error([](const List& l) { return ops::softmax(l[0]); }, {x}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::softmax(l[0], 0); }, {x}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::log_softmax(l[0]); }, {x}) < tolerance);
  for (bool logits : {false, true}) {
    const Tensor& input = logits ? x : p;
    CHECK(gradient_error(
              [&](const List& l) {
                return ops::sparse_categorical_crossentropy(labels, l[0], logits);
              },
              {input}) < tolerance);
    CHECK(gradient_error(
              [&](const List& l) { return ops::categorical_crossentropy(target, l[0], logits); },
              {input}) < tolerance);
    CHECK(gradient_error(
              [&](const List& l) { return ops::binary_crossentropy(target, l[0], logits); },
              {input}) < tolerance);
  }
}

TEST_CASE("derivatives of derivatives") {
  const Tensor x = noise({2, 3}, 0.2, 1), w = noise({3, 2}, -1, 1, 2);
  auto inner = [](const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x);
  };
  CHECK(gradient_error(
            [&](const List& l) {
              return inner([&](const Tensor& t) { return ops::tanh(ops::matmul(t, l[1])); }, l[0]);
            },
            {x, w}) < 1e-5);
  CHECK(gradient_error(
            [&](const List& l) {
              return inner([](const Tensor& t) { return ops::softmax(t) * t; }, l[0]);
            },
            {x}) < 1e-5);
  const Tensor image = noise({1, 4, 4, 2}), kernel = noise({3, 3, 2, 2}, -1, 1, 2);
  CHECK(gradient_error(
            [&](const List& l) {
              return inner([&](const Tensor& t) { return ops::square(ops::conv(t, l[1])); }, l[0]);
            },
            {image, kernel}) < 1e-5);
  CHECK(gradient_error(
            [&](const List& l) {
              return inner([&](const Tensor& t) { return ops::square(ops::average_pool(t, {2})); },
                           l[0]);
            },
            {image}) < 1e-5);
}

TEST_CASE("second derivatives pass through sums over broadcast axes and through pooling") {
  const auto slope = [](const std::function<Tensor(const List&)>& f, const List& x, size_t of) {
    GradientTape tape;
    for (const Tensor& t : x) tape.watch(t);
    return tape.gradient(f(x), x)[of];
  };
  const Tensor x = noise({3, 4}), w = noise({4, 2}, -1, 1, 2), b = noise({2}, -1, 1, 3);
  // The gradient of a bias is a sum of what comes in, whose own derivative counts.
  const auto layer = [](const List& l) {
    return ops::square(ops::tanh(ops::matmul(l[0], l[1]) + l[2]));
  };
  for (const size_t of : {0u, 1u, 2u})
    CHECK(gradient_error([&](const List& l) { return slope(layer, l, of); }, {x, w, b}) < 1e-5);
  const Tensor image = noise({2, 5, 6, 2});
  for (const char* padding : {"valid", "same"}) {
    const auto pooled = [&](const List& l) {
      return ops::exp(ops::max_pool(l[0] * l[0], {3, 2}, {{2, 1}}, padding));
    };
    CHECK(gradient_error([&](const List& l) { return slope(pooled, l, 0); }, {image}) < 1e-5);
  }
  const auto line = [](const List& l) { return ops::sin(ops::max_pool(l[0], {2}, {{3}})); };
  CHECK(gradient_error([&](const List& l) { return slope(line, l, 0); }, {noise({2, 8, 3})}) <
        1e-5);
}

TEST_CASE("a tape releases what its sweep has passed") {
  constexpr int64_t count = 1 << 18;
  const size_t megabyte = count * sizeof(float);
  const Tensor x = ops::ones({count});
  size_t at_the_end = 0;
  GradientTape tape;
  tape.watch(x);
  // The first operation: its gradient is the last to be asked for.
  Tensor y = custom_gradient(x, [&](const Tensor& t) {
    return std::pair(t * 1.0, std::function<Tensor(const Tensor&)>([&](const Tensor& dy) {
                       at_the_end = memory::stats().live;
                       return dy;
                     }));
  });
  const size_t before = memory::stats().live;
  for (int i = 0; i < 16; ++i) {
    ops::square(y);  // recorded, but nothing flows through it
    y = ops::sin(y);
  }
  CHECK(memory::stats().live >= before + 15 * megabyte);
  y = ops::sum(y);
  tape.gradient(y, x);
  REQUIRE(at_the_end > 0);
  CHECK(at_the_end <= before + 3 * megabyte);
}

}  // namespace tape_test
