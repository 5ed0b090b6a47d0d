// Lists, shapes and operands of ops in the forms in which users write them.
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "support/matchers.h"

namespace written_lists_test {

using namespace cornu;
using cornu::test::contains;

namespace {

Tensor grid() { return ops::reshape(ops::arange(6, "float32"), {2, 3}); }

}  // namespace

// g++ reads `{.keepdims = true}` as a list of one number where a list or a number is expected.
static_assert(!std::convertible_to<bool, Axes> && !std::convertible_to<bool, Integers> &&
              !std::convertible_to<bool, IntegerList> &&
              !std::convertible_to<bool, OptionalIntegers>);
static_assert(std::convertible_to<int, Axes> && std::convertible_to<int64_t, Integers>);

TEST_CASE("operands of einsum and meshgrid come one by one") {
  const Tensor x = grid();
  CHECK(ops::einsum("ij,kj->ik", x, x).to_vector<float>() ==
        ops::einsum("ij,kj->ik", {x, x}).to_vector<float>());
  CHECK(ops::einsum("ij->ji", x).shape() == Shape{3, 2});
  const Tensor a = ops::arange(2), b = ops::arange(3), c = ops::arange(4);
  CHECK(ops::meshgrid(a, b).at(1).shape() == Shape{3, 2});
  CHECK(ops::meshgrid(a, b, c).size() == 3);
  CHECK(ops::meshgrid({a, b}, "ij").at(0).shape() == Shape{2, 3});
}

TEST_CASE("tensordot takes axes in braces") {
  const Tensor x = grid();
  CHECK(ops::tensordot(x, x, {{0, 1}, {0, 1}}).item() == 55);
  CHECK(ops::tensordot(x, x, {{1}, {1}}).shape() == Shape{2, 2});
  CHECK(ops::tensordot(x, x, {0, 0}).shape() == Shape{3, 3});
  CHECK(ops::tensordot(x, ops::transpose(x), 1).shape() == Shape{2, 2});
  CHECK(ops::tensordot(x, ops::transpose(x), {1}).shape() == Shape{2, 2});
}

TEST_CASE("one_hot takes numbers in braces") {
  CHECK(ops::one_hot({0, 1}, 3).to_vector<float>() == std::vector<float>{1, 0, 0, 0, 1, 0});
  CHECK(ops::one_hot({2}, 3).shape() == Shape{1, 3});
  CHECK(ops::one_hot(2, 3).shape() == Shape{3});
  CHECK_THROWS_WITH(ops::one_hot({0, 1}, -2), contains("num_classes must be at least 0, found -2"));
}

TEST_CASE("rearrange takes sizes in braces") {
  const Tensor x = ops::ones({6, 2});
  CHECK(ops::rearrange(x, "(b n) c -> b n c", {{"n", 2}}).shape() == Shape{3, 2, 2});
  CHECK(ops::rearrange(x, "(b n) c -> b n c", Value::Dict{{"n", 2}}).shape() == Shape{3, 2, 2});
  CHECK(ops::rearrange(x, "b c -> c b").shape() == Shape{2, 6});
}

TEST_CASE("tensors are made of texts, arrays and nested vectors") {
  CHECK(ops::array({"a", "b"}).dtype() == DType::string);
  CHECK(ops::array(std::vector<std::vector<float>>{{1, 2, 3}, {4, 5, 6}}).shape() == Shape{2, 3});
  const Tensor numbers = ops::array(std::array<double, 2>{1, 2});
  CHECK(numbers.dtype() == DType::float64);
  CHECK(numbers.to_vector<double>() == std::vector<double>{1, 2});
  CHECK(ops::array(std::array<std::array<int, 3>, 2>{}, "float16").dtype() == DType::float16);
  CHECK(ops::array(std::vector<std::vector<bool>>{{true}, {false}}).dtype() == DType::boolean);
  CHECK(ops::array(std::vector<std::vector<std::vector<int64_t>>>{{{1}, {2}}}).shape() ==
        Shape{1, 2, 1});
  CHECK_THROWS_AS(ops::array(std::vector<std::vector<float>>{{1, 2}, {3}}), ShapeError);
  CHECK(ops::convert_to_tensor({1., 2.}).dtype() == DType::float32);
  CHECK(ops::convert_to_tensor({{1, 2}, {3, 4}}, "float16").shape() == Shape{2, 2});
  CHECK(ops::convert_to_tensor(std::vector<float>{1, 2}).shape() == Shape{2});
  CHECK(ops::convert_to_tensor({"a", "b"}).shape() == Shape{2});
}

TEST_CASE("lists in braces are rows") {
  const std::vector<int> row = {1, 2, 3};
  CHECK(ops::array({row}).shape() == Shape{1, 3});
  CHECK(ops::array({row, row}).shape() == Shape{2, 3});
  CHECK(ops::array({row, {4, 5, 6}}).to_vector<int32_t>() ==
        std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(ops::array({row}).dtype() == DType::int32);
  CHECK(ops::array({std::vector<int64_t>{1}}).dtype() == DType::int64);
  CHECK(ops::array({std::vector<float>{1}}).dtype() == DType::float32);
  CHECK(ops::array({std::vector<double>{1}}, "float32").dtype() == DType::float32);
  CHECK(ops::array({std::vector<std::vector<int>>{row}}).shape() == Shape{1, 1, 3});
  CHECK(ops::convert_to_tensor({row, row}).shape() == Shape{2, 3});
  CHECK_THROWS_AS(ops::array({row, std::vector<int>{1}}), ShapeError);
}

TEST_CASE("texts in braces are vectors and matrices") {
  const std::string text = "ab";
  CHECK(ops::array({text}).shape() == Shape{1});
  CHECK(ops::array({text, text}).to_strings() == std::vector<std::string>{"ab", "ab"});
  CHECK(ops::array({{"a"}}).shape() == Shape{1, 1});
  CHECK(ops::array({{"a", "b"}}).shape() == Shape{1, 2});
  const Tensor matrix = ops::convert_to_tensor({{"a", "b"}, {"c", "d"}, {"e", "f"}});
  CHECK(matrix.shape() == Shape{3, 2});
  CHECK(matrix.to_strings() == std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
  CHECK_THROWS_AS(ops::array({{"a", "b"}, {"c"}}), ShapeError);
}

TEST_CASE("a vector of tensors is reduced as their stack") {
  const std::vector<Tensor> list = {grid(), grid() + 6.0};
  CHECK(ops::sum(std::vector<Tensor>{Tensor::from({1.0f}, {}), Tensor::from({1.0f}, {})}).item() ==
        2);
  CHECK(ops::sum(list).item() == 66);
  CHECK(ops::sum(list, 0).shape() == Shape{2, 3});
  CHECK(ops::mean(list, 0, true).shape() == Shape{1, 2, 3});
  CHECK(ops::max(list).item() == 11);
  CHECK(ops::min(list, {1, 2}).to_vector<float>() == std::vector<float>{0, 6});
  CHECK_THROWS_AS(ops::sum({grid(), ops::ones({2})}), ShapeError);
}

}  // namespace written_lists_test
