// Averages, quantiles, histograms, and reductions that leave out NaN.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"

namespace statistics_ops_test {

using namespace cornu;
using test::error_of;
using test::gradient_error;
using test::noise;

namespace {

std::vector<float> read(const Tensor& t) { return t.to_vector<float>(); }

}  // namespace

TEST_CASE("averages are weighted along one axis or everywhere") {
  const Tensor x = Tensor::from({1, 2, 3, 4}, {2, 2});
  CHECK(ops::average(x).item() == 2.5);
  CHECK(read(ops::average(x, 1, Tensor::from({3.0f, 1.0f}, {2}))) ==
        std::vector<float>{1.25f, 3.25f});
  CHECK(read(ops::average(x, 0, x)) == std::vector<float>{2.5f, 20.0f / 6});
  CHECK_THROWS_AS(ops::average(x, 0, Tensor::from({1.0f, 2.0f, 3.0f}, {3})), ShapeError);
}

TEST_CASE("quantiles stand between elements") {
  const Tensor x = Tensor::from({4.0f, 1.0f, 3.0f, 2.0f}, {4});
  CHECK(ops::quantile(x, 0.5).item() == 2.5);
  CHECK(ops::quantile(x, 0.4, {}, "lower").item() == 2);
  CHECK(ops::quantile(x, 0.4, {}, "higher").item() == 3);
  CHECK(ops::quantile(x, 0.4, {}, "nearest").item() == 2);
  CHECK(ops::quantile(x, 0.4, {}, "midpoint").item() == 2.5);
  CHECK(ops::percentile(x, 100).item() == 4);
  CHECK(ops::median(ops::arange(0, 5)).item() == 2);
  CHECK_THROWS_AS(ops::quantile(x, 0.5, {}, "between"), ValueError);
  // A graph keeps the method.
  const Tensor symbol = Input({.batch_shape = Shape{4}});
  Functional graph(symbol, ops::quantile(symbol, 0.4, {}, "nearest"));
  CHECK(graph(x).item() == 2);

  const Tensor y = noise({2, 3, 4});
  CHECK(ops::quantile(y, Tensor::from({0.1, 0.9}, {2}), {0, 2}).shape() == Shape{2, 3});
  CHECK(ops::quantile(y, Tensor::from({0.1, 0.9}, {2}), {0, 2}, "linear", true).shape() ==
        Shape{2, 1, 3, 1});
  CHECK(ops::median(y, {}, true).shape() == Shape{1, 1, 1});
  CHECK(gradient_error(
            [](const auto& in) {
              return ops::quantile(in[0], Tensor::from({0.3, 0.8}, {2}), 1);
            },
            {y}) < 1e-7);

  const Tensor holes = Tensor::from({1.0f, NAN, 3.0f, NAN, NAN, NAN}, {2, 3});
  CHECK(std::isnan(ops::median(holes, 1).to_vector<float>()[0]));
  CHECK(ops::nanmedian(holes, 1).to_vector<float>()[0] == 2);
  CHECK(std::isnan(ops::nanmedian(holes, 1).to_vector<float>()[1]));
  const Tensor ends = Tensor::from({-INFINITY, 1.0f, INFINITY}, {3});
  CHECK(ops::median(ends).item() == 1);
  CHECK(std::isinf(ops::quantile(ends, 0.0).item()));
}

TEST_CASE("reductions leave out NaN") {
  const Tensor x = Tensor::from({1.0f, NAN, 4.0f, NAN, NAN, NAN}, {2, 3});
  CHECK(read(ops::nansum(x, 1)) == std::vector<float>{5, 0});
  CHECK(read(ops::nanprod(x, 1)) == std::vector<float>{4, 1});
  CHECK(ops::nanmax(x).item() == 4);
  CHECK(std::isnan(ops::nanmin(x, 1).to_vector<float>()[1]));
  CHECK(ops::nanmean(x).item() == 2.5);
  CHECK(ops::nanvar(x).item() == 2.25);
  CHECK(ops::nanstd(x).item() == 1.5);
  CHECK(ops::nanargmax(x, 1).to_vector<int32_t>() == std::vector<int32_t>{2, -1});
  CHECK(ops::nanargmin(x, 1).to_vector<int32_t>() == std::vector<int32_t>{0, -1});
  CHECK(read(ops::nancumsum(x)) == std::vector<float>{1, 1, 5, 5, 5, 5});
  CHECK(read(ops::nancumprod(x, 1)) == std::vector<float>{1, 1, 4, 1, 1, 1});
  CHECK(ops::nansum(Tensor::from({1, 2}, {2})).dtype() == DType::int32);
  const Tensor y = Tensor::from({0.5, std::nan(""), -0.25, 2.0}, {4});
  GradientTape tape;
  tape.watch(y);
  const auto g = tape.gradient(ops::nanvar(y), y).to_vector<double>();
  CHECK(g[1] == 0);
  CHECK(g[0] + g[2] + g[3] == Approx(0).margin(1e-12));
}

TEST_CASE("counts and differences") {
  const Tensor five = Tensor::from({0.0f, 1.0f, 1.0f, 2.0f, 4.0f}, {5});
  const auto h = ops::histogram(five, 4);
  CHECK(read(h[0]) == std::vector<float>{1, 2, 1, 1});
  CHECK(read(h[1]) == std::vector<float>{0, 1, 2, 3, 4});
  CHECK(read(ops::histogram(Tensor::from({0.0f, 5.0f, 9.0f}, {3}), 1,
                            std::vector<double>{0, 6})[0]) == std::vector<float>{2});
  const auto check = [](const TensorTuple<2>& given) {
    CHECK(read(given[0]) == std::vector<float>{3, 1});
    CHECK(read(given[1]) == std::vector<float>{0, 1.5, 3});
  };
  check(ops::histogram(five, 2, {0., 3.}));
  check(ops::histogram(five, 2, {{0, 3}}));
  check(ops::histogram(five, {.bins = 2, .range = {0., 3.}}));
  check(ops::histogram(five, {.bins = 2, .range = std::optional(std::vector<double>{0, 3})}));
  CHECK(read(ops::histogram(five, {.bins = 4})[0]) == read(h[0]));
  CHECK(read(ops::histogram(five, 4, std::nullopt)[0]) == read(h[0]));
  CHECK_THROWS_AS(ops::histogram(five, 2, {0., 3., 4.}), ValueError);
  CHECK_THROWS_AS(ops::histogram(five, {.range = {3., 0.}}), ValueError);
  CHECK(ops::diff(Tensor::from({1, 4, 9, 16}, {4}), 2).to_vector<int32_t>() ==
        std::vector<int32_t>{2, 2});
  CHECK(ops::diff(Tensor::from({true, false, false}, {3})).to_vector<bool>() ==
        std::vector<bool>{true, false});
  CHECK(ops::trapezoid(Tensor::from({1.0f, 2.0f, 3.0f}, {3}), {}, 2).item() == 8);
  CHECK(ops::trapezoid(Tensor::from({1.0f, 2.0f, 3.0f}, {3}), Tensor::from({4.0f, 6.0f, 8.0f}, {3}))
            .item() == 8);
}

TEST_CASE("statistics work on symbolic tensors and in functions") {
  const Tensor in = Input({4});
  CHECK(ops::median(in, 1).shape() == Shape{std::nullopt});
  CHECK(ops::nanvar(in, 0).shape() == Shape{4});
  auto f = function([](const Tensor& x) { return ops::quantile(x, 0.25) + ops::nanmean(x); });
  for (double v : {1.0, 2.0, 3.0}) {
    const Tensor x = ops::full({5}, v);
    CHECK(f(x).item() == Approx(2 * v));
  }
}

}  // namespace statistics_ops_test
