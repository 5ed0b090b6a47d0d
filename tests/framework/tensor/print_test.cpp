// Tests of writing tensors and nests to streams.
#include <catch.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/nest.h>

#include <cmath>
#include <cstdint>
#include <sstream>

namespace print_test {

using namespace cornu;

namespace {

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

TEST_CASE("A tensor is printed by rows, with its dtype and shape") {
  CHECK(printed(Tensor::from<float>({1, 2.5, -3, 100}, {2, 2})) ==
        "[[  1, 2.5],\n [ -3, 100]] float32 (2, 2)");
  CHECK(printed(Tensor::from<int32_t>({7}, {})) == "7 int32 ()");
  CHECK(printed(Tensor::from<int64_t>({1, 2, 3, 4}, {2, 1, 2})) ==
        "[[[1, 2]],\n\n [[3, 4]]] int64 (2, 1, 2)");
  CHECK(printed(Tensor::strings({"a", "bc"}, {2})) == "[ \"a\", \"bc\"] string (2,)");
  CHECK(printed(Tensor::from<float>({1, 2}, {2}) > 1) == "[false,  true] bool (2,)");
  CHECK(printed(Tensor::empty({0, 3}, DType::float32)) == "[] float32 (0, 3)");
}

TEST_CASE("Of large tensors the edges are printed") {
  CHECK(printed(ops::arange(0, 2000)) == "[   0,    1,    2, ..., 1997, 1998, 1999] int32 (2000,)");
  const std::string square = printed(ops::zeros({100, 100}));
  CHECK(std::count(square.begin(), square.end(), '0') == 36 + 4);
}

TEST_CASE("Of large tensors of any rank and kind the edges are printed, as NumPy does") {
  const Tensor cube = ops::reshape(ops::arange(0, 7 * 2 * 80), {7, 2, 80});
  CHECK(printed(cube).substr(0, 116) ==
        "[[[   0,    1,    2, ...,   77,   78,   79],\n"
        "  [  80,   81,   82, ...,  157,  158,  159]],\n"
        "\n [[ 160,  161,  162, ...");
  CHECK(printed(cube).find(" [ 400,  401,  402, ...,  477,  478,  479]],\n\n ...,\n\n [[ 640,") !=
        std::string::npos);
  const Tensor tall = ops::reshape(ops::arange(0, 1200), {300, 4});
  CHECK(printed(tall).find("11],\n ...,\n [1188,") != std::string::npos);
  std::vector<std::string> words(1200, "no");
  words.front() = "first";
  words.back() = "last";
  CHECK(printed(Tensor::strings(words, {1200})) ==
        "[\"first\",    \"no\",    \"no\", ...,    \"no\",    \"no\",  \"last\"] string (1200,)");
  CHECK(printed(ops::ones({1100}, DType::boolean)) ==
        "[true, true, true, ..., true, true, true] bool (1100,)");
  CHECK(printed(ops::ones({1001}, DType::float16)) == "[1, 1, 1, ..., 1, 1, 1] float16 (1001,)");
}

TEST_CASE("Numbers at the limits of their type are printed whole") {
  CHECK(printed(Tensor::from<uint64_t>({0, ~uint64_t{0}}, {2})) ==
        "[                   0, 18446744073709551615] uint64 (2,)");
  CHECK(printed(Tensor::from<int64_t>({INT64_MIN, INT64_MAX}, {2})) ==
        "[-9223372036854775808,  9223372036854775807] int64 (2,)");
  CHECK(printed(Tensor::from<float>({INFINITY, -INFINITY, NAN, -0.0f}, {4})) ==
        "[ inf, -inf,  nan,   -0] float32 (4,)");
  CHECK(printed(Tensor::from<float>({-NAN, 1}, {2})) == "[nan,   1] float32 (2,)");
  CHECK(Tensor::from<float>({-NAN, 1}, {2}).str() == "<float32 (2,): [nan, 1]>");
  CHECK(printed(Tensor::from<double>({1e-300, 1e300}, {2})) == "[1e-300, 1e+300] float64 (2,)");
  CHECK(printed(Tensor::from<int8_t>({-128, 127}, {1, 2})) == "[[-128,  127]] int8 (1, 2)");
}

TEST_CASE("What has no values is printed as what it is") {
  CHECK(printed(Tensor()) == "<no tensor>");
  CHECK(printed(Tensor::abstract({2, 3}, DType::float32)) == "<float32 (2, 3), abstract>");
}

TEST_CASE("Nests are printed with their keys and places") {
  const Tensor one = Tensor::from<int32_t>({1}, {}), two = Tensor::from<int32_t>({2}, {});
  CHECK(printed(Nest(one)) == "1 int32 ()");
  CHECK(printed(Nest{one, two}) == "[\n  1 int32 (),\n  2 int32 ()]");
  CHECK(printed(Nest{{"a", one}, {"b", Nest{one, two}}}) ==
        "{\n  'a': 1 int32 (),\n  'b': [\n    1 int32 (),\n    2 int32 ()]}");
}

}  // namespace print_test
