// Elementwise compositions: values at the edges, dtypes, gradients.
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <limits>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"

namespace arithmetic_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

Tensor floats(std::vector<float> v) { return Tensor(v); }
Tensor ints(std::vector<int32_t> v) { return Tensor(v); }

void check_near(const Tensor& got, const std::vector<double>& want, double tolerance = 2e-6) {
  const auto values = got.to_vector<double>();
  REQUIRE(values.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    INFO("element " << i << ": got " << values[i] << ", expected " << want[i]);
    if (std::isnan(want[i]))
      CHECK(std::isnan(values[i]));
    else if (std::isinf(want[i]))
      CHECK(values[i] == want[i]);
    else
      CHECK(std::abs(values[i] - want[i]) <= tolerance * (1e-3 + std::abs(want[i])));
  }
}

}  // namespace

TEST_CASE("compositions have NumPy's values") {
  check_near(ops::cbrt(floats({-27, 0, 8})), {-3, 0, 2});
  check_near(ops::exp2(ints({-1, 0, 10})), {0.5, 1, 1024});
  check_near(ops::sinc(floats({0, 0.5, 1.25})),
             {1, 2 / M_PI, std::sin(1.25 * M_PI) / (1.25 * M_PI)});
  check_near(ops::deg2rad(floats({180, -90})), {M_PI, -M_PI / 2});
  check_near(ops::rad2deg(floats({1})), {180 / M_PI});
  check_near(ops::hypot(floats({3, 0, 1e30f}), floats({-4, 0, 1e30f})),
             {5, 0, 1e30 * std::sqrt(2.0)});
  check_near(ops::heaviside(floats({-1, 0, 2}), floats({0.5f, 0.5f, 0.5f})), {0, 0.5, 1});
  check_near(ops::fmod(floats({-7.5f, 7.5f, 7.5f}), floats({2, -2, 2})), {-1.5, 1.5, 1.5});
  check_near(ops::fmax(floats({1, NAN, NAN}), floats({NAN, 2, NAN})), {1, 2, nan_value});
  check_near(ops::fmin(floats({1, NAN, 3}), floats({NAN, 2, 2})), {1, 2, 2});
  check_near(ops::logaddexp(floats({1000, -INFINITY}), floats({1000, -INFINITY})),
             {1000 + std::log(2.0), -inf});
  check_near(ops::logaddexp2(ints({3}), ints({3})), {4});
  check_near(ops::ldexp(floats({0.75f, INFINITY}), ints({4, -400})), {12, inf});
  check_near(ops::divide_no_nan(floats({1, 1, 0}), floats({2, 0, 0})), {0.5, 0, 0});
  check_near(ops::angle(floats({-2, 0, 3})), {M_PI, 0, 0});
  check_near(ops::angle(floats({-0.0f, -INFINITY, INFINITY})), {M_PI, M_PI, 0});
  CHECK(std::isnan(ops::angle(floats({NAN})).item()));
  check_near(ops::angle(ints({-1, 0, 2})), {M_PI, 0, 0});
  check_near(ops::round(floats({2.345f, -0.55f}), 1), {2.3, -0.6}, 1e-6);
  check_near(ops::round(floats({0.5f, 1.5f, 2.5f})), {0, 2, 2});
  check_near(ops::round(ints({1250, 17}), -2), {1200, 0});
}

TEST_CASE("whole numbers between bounds that are floats become floats") {
  for (const DType dtype : {DType::int32, DType::int64, DType::uint8}) {
    const Tensor x = ops::cast(ops::arange(4), dtype);
    const Tensor clipped = ops::clip(x, 0.5, 1.5);
    CHECK(clipped.dtype() == DType::float32);
    CHECK(clipped.to_vector<float>() == std::vector<float>{0.5f, 1, 1.5f, 1.5f});
    CHECK(ops::clip(x, 1, 2).dtype() == dtype);
  }
  CHECK(ops::clip(ops::arange(4), 1, 2.5).to_vector<float>() == std::vector<float>{1, 1, 2, 2.5f});
  CHECK(ops::clip(ops::cast(ops::arange(2), DType::boolean), 0, 1).dtype() == DType::int32);
  CHECK(ops::clip(ops::zeros({2}, "float16"), 0.5, 1).dtype() == DType::float16);
}

TEST_CASE("bounds of a wider dtype widen what they limit") {
  const Tensor x = ops::cast(ints({-3, 5, 100}), DType::int8);
  const auto bound = [](int32_t value, DType dtype) { return ops::cast(Tensor(value), dtype); };
  const Tensor wide = ops::clip(x, bound(-1, DType::int32), bound(200, DType::int32));
  CHECK(wide.dtype() == DType::int32);
  CHECK(wide.to_vector<int32_t>() == std::vector<int32_t>{-1, 5, 100});
  CHECK(ops::clip(x, -1, bound(20, DType::int32)).to_vector<int32_t>() ==
        std::vector<int32_t>{-1, 5, 20});
  CHECK(ops::clip(ops::cast(x, DType::uint8), bound(-1, DType::int8), bound(7, DType::int8))
            .dtype() == DType::int16);
  CHECK(ops::clip(x > 0, bound(0, DType::int8), 1).dtype() == DType::int32);
  const Tensor half = ops::cast(x, DType::float16);
  const Tensor floats_of_half =
      ops::clip(half, ops::cast(Tensor(0.1), DType::float32), bound(3, DType::float32));
  CHECK(floats_of_half.dtype() == DType::float32);
  CHECK(floats_of_half.to_vector<float>() == std::vector<float>{0.1f, 3, 3});
  CHECK(ops::clip(half, 0.1, 3).dtype() == DType::float16);
}

TEST_CASE("beside an infinity NaN has no say in a distance") {
  const float nan = std::nanf("");
  const auto y = ops::hypot(floats({nan, INFINITY, -INFINITY, INFINITY, nan, nan}),
                            floats({INFINITY, nan, nan, -INFINITY, 1, nan}))
                     .to_vector<float>();
  for (size_t i = 0; i < 4; ++i) CHECK(y[i] == INFINITY);
  CHECK(std::isnan(y[4]));
  CHECK(std::isnan(y[5]));
}

TEST_CASE("the Bessel function joins its two series") {
  check_near(ops::i0(floats({0, 1, -3})), {1, 1.2660658777520084, 4.880792585865025}, 1e-6);
  const std::vector<double> points = {15.999, 16.001, 40};
  std::vector<double> expected;
  for (double x : points) expected.push_back(std::cyl_bessel_i(0, x));
  check_near(ops::i0(Tensor(points)), expected, 1e-11);
  CHECK(gradient_error([](const auto& x) { return ops::i0(x[0]); }, {noise({5}, -4, 4)}) < 1e-6);
}

TEST_CASE("the complement of erf is accurate in its tail") {
  std::vector<double> points, expected;
  for (double x = -3; x < 9; x += 0.37) points.push_back(x), expected.push_back(std::erfc(x));
  const auto check = [&](const Tensor& y, double tolerance) {
    const auto values = y.to_vector<double>();
    for (size_t i = 0; i < points.size(); ++i)
      CHECK(values[i] == Approx(expected[i]).epsilon(tolerance).margin(0));
  };
  check(ops::erfc(Tensor(points)), 1e-12);
  check(ops::erfc(ops::cast(Tensor(points), DType::float32)), 3e-5);
  CHECK(gradient_error([](const auto& x) { return ops::erfc(x[0]); }, {noise({9}, -1, 4)}) < 1e-6);
}

TEST_CASE("integers have divisors and bits") {
  CHECK(
      ops::gcd(ints({12, 0, -8, 1836311903}), ints({18, 0, 12, 1134903170})).to_vector<int32_t>() ==
      std::vector<int32_t>{6, 0, 4, 1});
  CHECK(ops::lcm(ints({4, 0, -3}), ints({6, 5, 7})).to_vector<int32_t>() ==
        std::vector<int32_t>{12, 0, 21});
  CHECK_THROWS_AS(ops::gcd(floats({1}), ints({2})), ValueError);
  CHECK(ops::left_shift(ints({1, 3, -1}), ints({4, 0, 2})).to_vector<int32_t>() ==
        std::vector<int32_t>{16, 3, -4});
  CHECK(ops::right_shift(ints({16, -5, 7, -7}), ints({2, 1, 31, 40})).to_vector<int32_t>() ==
        std::vector<int32_t>{4, -3, 0, -1});
  const Tensor bytes = ops::cast(ints({200, 255}), DType::uint8);
  CHECK(ops::right_shift(bytes, 3).dtype() == DType::uint8);
  CHECK(ops::right_shift(bytes, 3).to_vector<int32_t>() == std::vector<int32_t>{25, 31});
}

TEST_CASE("bools count beside integers in shifts and divisors") {
  const Tensor flags = Tensor::from<bool>({true, false}, {2});
  const Tensor bytes = ops::cast(ints({200, 3}), DType::uint8);
  CHECK(ops::left_shift(bytes, flags).dtype() == DType::uint8);
  CHECK(ops::left_shift(bytes, flags).to_vector<int32_t>() == std::vector<int32_t>{144, 3});
  CHECK(ops::left_shift(flags, ints({4, 2})).to_vector<int32_t>() == std::vector<int32_t>{16, 0});
  CHECK(ops::right_shift(ints({-5, 7}), flags).to_vector<int32_t>() == std::vector<int32_t>{-3, 7});
  CHECK(ops::right_shift(flags, ints({0, 1})).dtype() == DType::int32);
  CHECK(ops::gcd(flags, ints({6, 4})).to_vector<int32_t>() == std::vector<int32_t>{1, 4});
  CHECK_THROWS_AS(ops::left_shift(flags, flags), ValueError);
  const Tensor small = ops::cast(ints({4, 3}), DType::int8);
  CHECK(ops::lcm(flags, small).dtype() == DType::int8);
  CHECK(ops::lcm(flags, small).to_vector<int32_t>() == std::vector<int32_t>{4, 0});
  CHECK(ops::lcm(small, true).to_vector<int32_t>() == std::vector<int32_t>{4, 3});
  CHECK(ops::lcm(flags, 4).dtype() == DType::int32);
  CHECK_THROWS_AS(ops::lcm(flags, flags), ValueError);
}

TEST_CASE("real numbers as pairs have no imaginary part") {
  const Tensor y = ops::view_as_real(floats({1.5f, -2}));
  CHECK(y.shape() == Shape{2, 2});
  CHECK(y.to_vector<float>() == std::vector<float>{1.5f, 0, -2, 0});
  CHECK(ops::view_as_real(ints({3})).dtype() == DType::int32);
}

TEST_CASE("nextafter is one step in each float type") {
  const Tensor x = floats({1, 0, -1, 2});
  const auto y = ops::nextafter(x, floats({2, -1, -2, 2})).to_vector<float>();
  CHECK(y[0] == std::nextafter(1.0f, 2.0f));
  CHECK(y[1] == std::nextafter(0.0f, -1.0f));
  CHECK(y[2] == std::nextafter(-1.0f, -2.0f));
  CHECK(y[3] == 2);
  CHECK(ops::nextafter(ops::cast(x, DType::float64), 0.0).to_vector<double>()[3] ==
        std::nextafter(2.0, 0.0));
}

TEST_CASE("numbers meet tensors as Keras has it") {
  const Tensor half = ops::ones({2}, DType::float16);
  CHECK(ops::mod(half, 2.5).dtype() == DType::float32);
  CHECK(ops::arctan2(half, 2.5).dtype() == DType::float32);
  CHECK(ops::mod(ops::ones({2}, DType::uint32), 2).dtype() == DType::int64);
  CHECK(ops::fmax(half, 2.5).dtype() == DType::float16);
  CHECK(ops::hypot(ops::ones({2}, DType::int64), 1).dtype() == DType::float64);
  CHECK(ops::fabs(ops::ones({2}, DType::int8)).dtype() == DType::float32);
}

TEST_CASE("compositions have gradients") {
  const Tensor x = noise({7}, 0.2, 2, 1), y = noise({7}, 0.3, 2, 2);
  const auto check = [&](Tensor (*f)(const Tensor&, const Tensor&)) {
    return gradient_error([f](const auto& in) { return f(in[0], in[1]); }, {x, y});
  };
  CHECK(check(&ops::hypot) < 1e-7);
  CHECK(check(&ops::logaddexp) < 1e-7);
  CHECK(check(&ops::logaddexp2) < 1e-7);
  CHECK(check(&ops::divide_no_nan) < 1e-7);
  CHECK(check(&ops::fmax) < 1e-7);
  CHECK(check(&ops::fmod) < 1e-6);
  CHECK(gradient_error(
            [](const auto& in) { return ops::cbrt(in[0]) + ops::sinc(in[0]) + ops::exp2(in[0]); },
            {x}) < 1e-6);
}

}  // namespace arithmetic_ops_test
