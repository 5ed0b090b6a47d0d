// 8-bit floats as a type of tensors: casts, moves, and what is refused.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/framework/ops/numpy/indexing.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/products.h>
#include <cornu/framework/ops/operators.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "../../catch.h"
#include "support/all_close.h"
#include "support/matchers.h"

namespace float8_test {

using namespace cornu;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan_value = std::nanf("");

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// All 256 numbers of a type.
Tensor all_numbers(DType dtype) {
  std::vector<uint8_t> bits(256);
  std::iota(bits.begin(), bits.end(), 0);
  return ops::view(Tensor::from(bits, {256}), dtype);
}

std::vector<float> cast(const std::vector<float>& values, DType dtype) {
  const Tensor x = Tensor::from(values, {static_cast<int64_t>(values.size())});
  return ops::cast(x, dtype).to_vector<float>();
}

}  // namespace

TEST_CASE("8-bit floats have the numbers of their definition") {
  // By https://arxiv.org/abs/2209.05433, table 1.
  const auto narrow = all_numbers(DType::float8_e4m3fn).to_vector<float>();
  CHECK(narrow[0x7e] == 448);
  CHECK(narrow[0x08] == 0x1p-6f);
  CHECK(narrow[0x07] == 0.875f * 0x1p-6f);
  CHECK(narrow[0x81] == -0x1p-9f);
  CHECK(std::isnan(narrow[0x7f]));
  CHECK(std::isnan(narrow[0xff]));
  const auto wide = all_numbers(DType::float8_e5m2).to_vector<float>();
  CHECK(wide[0x7b] == 57344);
  CHECK(wide[0x04] == 0x1p-14f);
  CHECK(wide[0x83] == -0.75f * 0x1p-14f);
  CHECK(wide[0x01] == 0x1p-16f);
  CHECK(wide[0xfc] == -infinity);
  for (const int bits : {0x7d, 0x7e, 0x7f, 0xff})
    CHECK(std::isnan(wide[static_cast<size_t>(bits)]));
}

TEST_CASE("casts from and to 8-bit floats keep each of their numbers") {
  for (const DType type : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const Tensor x = all_numbers(type);
    const auto numbers = x.to_vector<float>();
    for (const DType other : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
      const Tensor y = ops::cast(x, other);
      CHECK(y.dtype() == other);
      const auto found = y.to_vector<float>(), again = ops::cast(y, type).to_vector<float>();
      for (size_t i = 0; i < 256; ++i) {
        CAPTURE(dtype_name(type), dtype_name(other), i);
        CHECK(same(found[i], numbers[i]));
        CHECK(same(again[i], numbers[i]));
        CHECK(std::signbit(again[i]) == std::signbit(numbers[i]));
        CHECK(same(float8_to_float(float_to_float8(numbers[i], type), type), numbers[i]));
      }
    }
  }
  CHECK(ops::cast(ops::cast(Tensor::from({3, -7}, {2}), DType::float8_e5m2), DType::int32)
            .to_vector<int32_t>() == std::vector<int32_t>{3, -7});
}

TEST_CASE("casts round to the nearest 8-bit float, of two the even one") {
  CHECK(cast({17, 19, 464, -0.0009765625f, 0.0029296875f}, DType::float8_e4m3fn) ==
        std::vector<float>{16, 20, 448, -0.0f, 0.00390625f});
  CHECK(cast({4.5f, 5.5f, 61439, 0x1p-17f}, DType::float8_e5m2) ==
        std::vector<float>{4, 6, 57344, 0});
  for (const float large : {464.1f, 480.0f, 1e9f, infinity, nan_value})
    CHECK(std::isnan(cast({-large}, DType::float8_e4m3fn)[0]));
  CHECK(cast({61440, -1e9f, infinity}, DType::float8_e5m2) ==
        std::vector<float>{infinity, -infinity, infinity});
  CHECK(std::isnan(cast({nan_value}, DType::float8_e5m2)[0]));
  // As the host's function, everywhere.
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i)
    values.push_back(std::ldexp(1 + static_cast<float>(i % 97) / 97, i % 41 - 22));
  for (const DType type : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const auto found = cast(values, type);
    for (size_t i = 0; i < values.size(); ++i) {
      const float expected = float8_to_float(float_to_float8(values[i], type), type);
      CAPTURE(values[i]);
      CHECK(same(found[i], expected));
    }
  }
}

TEST_CASE("8-bit floats move, and are not computed with") {
  const DType type = DType::float8_e4m3fn;
  const Tensor x = ops::cast(Tensor::from({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {2, 3}), type);
  CHECK(ops::transpose(x).to_vector<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(ops::concatenate({x, x}, 0).shape() == Shape{4, 3});
  CHECK(ops::take(x, Tensor::from({1}, {1}), 0).to_vector<float>() == std::vector<float>{4, 5, 6});
  CHECK(ops::full(Shape{2}, 1.5, type).to_vector<float>() == std::vector<float>{1.5, 1.5});
  CHECK(ops::zeros_like(x).dtype() == type);
  CHECK(x.str().find("float8_e4m3fn (2, 3): [1, 2, 3") != std::string::npos);
  CHECK_THROWS_WITH(x + x, test::contains("ops::cast to float16 or float32"));
  CHECK_THROWS_AS(-x, UnsupportedError);
  CHECK_THROWS_WITH(x + Tensor::from({1.f}, {1}), test::contains("does not combine"));
}

TEST_CASE("matrices of 8-bit floats are multiplied into float32") {
  const auto number = [](int i) { return static_cast<float>(i % 7 - 3) / 2; };
  std::vector<float> a, b;
  for (int i = 0; i < 2 * 5 * 40; ++i) a.push_back(number(i));
  for (int i = 0; i < 40 * 24; ++i) b.push_back(number(3 * i + i / 5));
  const Tensor x = Tensor::from(a, {2, 5, 40}), y = Tensor::from(b, {40, 24});
  const Tensor expected = ops::matmul(x, y);
  const auto check = [&](DType first, DType second) {
    const Tensor narrow_x = ops::cast(x, first), narrow_y = ops::cast(y, second);
    const Tensor found = ops::matmul(narrow_x, narrow_y);
    CHECK(found.dtype() == DType::float32);
    CHECK(test::all_close(found, expected, 1e-6, 1e-6));
    CHECK(test::all_close(ops::einsum("abc,cd->adb", {narrow_x, narrow_y}),
                          ops::einsum("abc,cd->adb", {x, y}), 1e-6, 1e-6));
    CHECK(test::all_close(ops::matmul_transposed(narrow_y, narrow_x, true, true),
                          ops::matmul_transposed(y, x, true, true), 1e-6, 1e-6));
  };
  constexpr DType e4m3 = DType::float8_e4m3fn, e5m2 = DType::float8_e5m2;
  check(e4m3, e4m3);
  check(e4m3, e5m2);
  check(e5m2, e4m3);
  check(e5m2, e5m2);
  CHECK_THROWS_WITH(ops::matmul(ops::cast(x, e4m3), y), test::contains("does not combine"));
}

TEST_CASE("8-bit floats go through compiled functions") {
  const DType type = DType::float8_e5m2;
  const auto narrow = function([&](const Tensor& x) {
    const Tensor small = ops::cast(x * 3.0, type);
    return Nest{ops::transpose(small), ops::cast(small, DType::float32)};
  });
  const auto widen = function([](const Tensor& x) { return ops::cast(x, DType::float32); });
  const Tensor x = Tensor::from({1.f, 2.f, 3.f, 4.f}, {2, 2});
  for (int run = 0; run < 4; ++run) {
    const std::vector<Tensor> y = narrow(x).flatten();
    CHECK(y[0].dtype() == type);
    CHECK(y[0].to_vector<float>() == std::vector<float>{3, 8, 6, 12});
    CHECK(y[1].to_vector<float>() == std::vector<float>{3, 6, 8, 12});
    CHECK(widen(y[0]).to_vector<float>() == std::vector<float>{3, 8, 6, 12});
  }
}

}  // namespace float8_test
