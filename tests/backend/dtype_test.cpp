// Element types: names, sizes, 16-bit floats.
#include <catch.h>
#include <cornu/backend/dtype.h>
#include <cornu/backend/error.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace dtype_test {

using namespace cornu;

TEST_CASE("dtype names and types belong together") {
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype = static_cast<DType>(i);
    CHECK(dtype_of(dtype_name(dtype)) == dtype);
    dispatch(dtype, [&]<class T>() {
      CHECK(sizeof(T) == size_of(dtype));
      CHECK(dtype_for_v<T> == dtype);
    });
  }
  CHECK(dtype_name(DType::boolean) == "bool");
}

TEST_CASE("An unknown dtype is refused with a suggestion") {
  CHECK(dtype_of("int") == DType::int64);
  CHECK_THROWS_AS(dtype_of(""), ValueError);
  try {
    dtype_of("flaot32");
    FAIL("no exception");
  } catch (const ValueError& error) {
    CHECK(std::string(error.what()).find("Did you mean 'float32'?") != std::string::npos);
  }
}

TEST_CASE("did_you_mean finds near names only") {
  const std::vector<std::string> names = {"relu", "sigmoid", "softmax"};
  CHECK(did_you_mean("sigmiod", names) == " Did you mean 'sigmoid'?");
  CHECK(did_you_mean("ReLU", names) == " Did you mean 'relu'?");
  CHECK(did_you_mean("banana", names).empty());
  CHECK(did_you_mean("", names).empty());
  CHECK(did_you_mean(std::string(100'000, 'x'), names).empty());
  CHECK(did_you_mean("relu", {}).empty());
}

TEST_CASE("Every half converts to float and back") {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    const bool nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
    if (nan != std::isnan(value)) FAIL("half " << bits);
    if (nan ? !std::isnan(half_to_float(float_to_half(value))) : float_to_half(value) != half)
      FAIL("half " << bits);
  }
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(half_to_float(0x0001) == std::ldexp(1.0f, -24));
}

TEST_CASE("Halves round to nearest, ties to even") {
  // Between every pair of neighbors: the middle goes to the even one, all else to the nearer one.
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = half_to_float(static_cast<uint16_t>(bits));
    const float high = half_to_float(static_cast<uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    if (float_to_half(middle) != (bits & 1 ? bits + 1 : bits)) FAIL("tie above " << bits);
    if (float_to_half(std::nextafter(middle, 0.0f)) != bits) FAIL("below the tie at " << bits);
    if (float_to_half(std::nextafter(middle, 1e9f)) != bits + 1) FAIL("above the tie at " << bits);
    if (float_to_half(-middle) != ((bits & 1 ? bits + 1 : bits) | 0x8000)) FAIL("sign " << bits);
  }
  CHECK(float_to_half(65519.99f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK(float_to_half(-0.0f) == 0x8000);
  CHECK(float_to_half(1e-30f) == 0);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even") {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const uint16_t brain = static_cast<uint16_t>(bits);
    const float value = bfloat16_to_float(brain);
    if (std::isnan(value)) {
      if (!std::isnan(bfloat16_to_float(float_to_bfloat16(value)))) FAIL("nan " << bits);
    } else if (float_to_bfloat16(value) != brain) {
      FAIL("bfloat16 " << bits);
    }
  }
  const auto of = [](uint32_t bits) { return float_to_bfloat16(std::bit_cast<float>(bits)); };
  CHECK(of(0x3f808000) == 0x3f80);
  CHECK(of(0x3f808001) == 0x3f81);
  CHECK(of(0x3f818000) == 0x3f82);
  CHECK(of(0x7f7fffff) == 0x7f80);
  CHECK((of(0x7f800001) & 0x7fff) > 0x7f80);
}

}  // namespace dtype_test
