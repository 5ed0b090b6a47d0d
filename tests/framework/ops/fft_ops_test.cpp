// The derivatives of Fourier transforms, and transforms inside functions and batches.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/math/fft.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"

namespace fft_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;
using List = std::vector<Tensor>;

namespace {

constexpr double tolerance = 1e-6;

bool close(const Tensor& x, const Tensor& y) { return test::all_close(x, y, 1e-9, 1e-9); }

// The parts of a transform in one tensor, with weights that tell them apart.
Tensor together(const List& y) { return ops::sin(y[0]) + y[1] * y[1] * 0.3; }

// The gradient of a function's sum.
Tensor slope(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape;
  tape.watch(x);
  const Tensor total = ops::sum(f(x));
  return tape.gradient(total, x);
}

}  // namespace

TEST_CASE("gradients of Fourier transforms, of both parts or one") {
  // Sizes that are done directly, split, and by a chirp; real x has fewer terms.
  for (const int64_t n : {1, 5, 12, 300, 521}) {
    INFO("n " << n);
    const int64_t rows = n > 100 ? 1 : 2;
    const Tensor re = noise({rows, n}), im = noise({rows, n}, -1, 1, 2);
    CHECK(gradient_error(
              [](const List& l) {
                return together(ops::fft({l[0], l[1]}));
              },
              {re, im}) < tolerance);
    CHECK(gradient_error(
              [](const List& l) {
                return ops::fft({l[0], l[1]})[0];
              },
              {re, im}) < tolerance);
    CHECK(gradient_error(
              [](const List& l) {
                return ops::fft({l[0], l[1]})[1];
              },
              {re, im}) < tolerance);
    CHECK(gradient_error([](const List& l) { return together(ops::rfft(l[0])); }, {re}) <
          tolerance);
    CHECK(gradient_error([](const List& l) { return ops::rfft(l[0])[0]; }, {re}) < tolerance);
    CHECK(gradient_error([](const List& l) { return ops::rfft(l[0])[1]; }, {re}) < tolerance);
    CHECK(gradient_error(
              [&](const List& l) {
                return ops::irfft({l[0], l[1]}, n);
              },
              {re, im}) < tolerance);
  }
  const Tensor x = noise({2, 3, 4}), y = noise({2, 3, 4}, -1, 1, 2);
  CHECK(gradient_error(
            [](const List& l) {
              return together(ops::fft2({l[0], l[1]}));
            },
            {x, y}) < tolerance);
  CHECK(gradient_error(
            [](const List& l) {
              return together(ops::ifft2({l[0], l[1]}));
            },
            {x, y}) < tolerance);
}

TEST_CASE("gradients of short-time transforms") {
  const Tensor x = noise({2, 40});
  CHECK(gradient_error([](const List& l) { return together(ops::stft(l[0], 12, 5, 16)); }, {x}) <
        tolerance);
  const List pieces = ops::stft(x, 12, 5, 16);
  CHECK(gradient_error(
            [](const List& l) {
              return ops::istft({l[0], l[1]}, 12, 5, 16);
            },
            {pieces[0], pieces[1]}) < tolerance);
}

TEST_CASE("pieces of one number") {
  const Tensor x = noise({6});
  // A window of one number is 1, as in Keras; what istft cuts off the end is then all.
  const List y = ops::stft(x, 1, 1, 1);
  CHECK(close(ops::squeeze(y[0], -1), x));
  CHECK(ops::istft(y, 1, 1, 1).shape() == Shape{0});
  CHECK(close(ops::istft(y, 1, 1, 1, 6), x));
}

TEST_CASE("second derivatives of Fourier transforms") {
  const Tensor re = noise({2, 6}), im = noise({2, 6}, -1, 1, 2);
  const auto of_re = [&](const List& l) {
    return slope([&](const Tensor& x) { return together(ops::fft({x, l[1]})); }, l[0]);
  };
  CHECK(gradient_error(of_re, {re, im}) < 1e-5);
  const auto of_real = [](const List& l) {
    return slope([](const Tensor& x) { return together(ops::rfft(x, 9)); }, l[0]);
  };
  CHECK(gradient_error(of_real, {re}) < 1e-5);
}

TEST_CASE("Fourier transforms are replayed by functions") {
  auto f = function([](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor power = ops::sum(together(ops::stft(x, 12, 5, 16)));
    return tape.gradient(power, x);
  });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = noise({2, 40}, -1, 1, i + 1);
    CHECK(close(f(x), slope([](const Tensor& t) { return together(ops::stft(t, 12, 5, 16)); }, x)));
  }
  CHECK(f->report().replays == 2);
}

TEST_CASE("Fourier transforms of elements are transforms of the batch") {
  const Tensor re = noise({3, 2, 10}), im = noise({3, 2, 10}, -1, 1, 2);
  const auto both = ops::vectorized_map(
      [](const Nest& pair) {
        const List y = ops::fft({pair[0].tensor(), pair[1].tensor()});
        return Nest(y[0] + y[1] * 2.0);
      },
      Nest::List{re, im});
  const List y = ops::fft({re, im});
  CHECK(close(both.tensor(), y[0] + y[1] * 2.0));
  // The other part is the same for all.
  const Tensor same = im[0];
  const auto one = ops::vectorized_map(
      [&](const Nest& x) {
        return Nest(ops::fft({x.tensor(), same})[1]);
      },
      re);
  CHECK(close(one.tensor(), ops::fft({re, ops::broadcast_to(same, {3, 2, 10})})[1]));
  const auto real =
      ops::vectorized_map([](const Nest& x) { return Nest(ops::rfft(x.tensor(), 7)[1]); }, re);
  CHECK(close(real.tensor(), ops::rfft(re, 7)[1]));
}

}  // namespace fft_ops_test
