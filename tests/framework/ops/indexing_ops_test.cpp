// Indexing and sorting against Keras.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "op_goldens.h"

namespace indexing_ops_test {

using namespace cornu;
using cornu::test::error_of;

TEST_CASE("indexing gives Keras's values and dtypes") { cornu::test::check_op_goldens("indexing"); }

TEST_CASE("brackets pick along the first axis") {
  const Tensor x = Tensor::from({1, 2, 3, 4}, {2, 2});
  CHECK(x[1].to_vector<int32_t>() == std::vector<int32_t>{3, 4});
  CHECK(x[-2][1].item() == 2);
  CHECK(error_of([&] { x[2]; }) == "get_item: index 2 is out of range for axis 0 of shape (2, 2).");
}

TEST_CASE("brackets take the program's numbers as indices") {
  const Tensor x = ops::reshape(ops::arange(12), {4, 3});
  using V = std::vector<int32_t>;
  CHECK(x[std::vector<int>{2, 0}].to_vector<int32_t>() == V{6, 7, 8, 0, 1, 2});
  CHECK(x[std::vector<int64_t>{-1}].shape() == Shape{1, 3});
  CHECK(x[{Slice(), std::vector<int>{0, 2}}][3].to_vector<int32_t>() == V{9, 11});
  CHECK(x[std::vector<bool>{false, true, false, false}].to_vector<int32_t>() == V{3, 4, 5});
  CHECK(Variable(x)[std::vector<int>{1}].to_vector<int32_t>() == V{3, 4, 5});
}

TEST_CASE("take clamps what is out of range") {
  const Tensor x = Tensor::from({1, 2, 3}, {3});
  CHECK(ops::take(x, Tensor(std::vector<int>{-1, 7, 0}), 0).to_vector<int32_t>() ==
        std::vector<int32_t>{3, 3, 1});
}

TEST_CASE("sorting is stable and puts NaN last") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from({2.0f, nan, 1.0f, 2.0f, -1.0f}, {5});
  CHECK(ops::argsort(x).to_vector<int32_t>() == std::vector<int32_t>{4, 2, 0, 3, 1});
  CHECK(ops::top_k(Tensor::from({1, 5, 5, 2}, {4}), 3)[1].to_vector<int32_t>() ==
        std::vector<int32_t>{1, 2, 3});
}

TEST_CASE("indexing says what it refuses") {
  const Tensor x = ops::zeros({2, 3});
  CHECK(error_of([&] {
          ops::get_item(x, Value::List{0, 0, 0});
        }) == "get_item: 3 indices for a tensor of shape (2, 3).");
  CHECK_THROWS_AS(ops::get_item(x, Value::List{Ellipsis{}, Ellipsis{}}), ValueError);
  CHECK_THROWS_AS(ops::get_item(x, Slice{{}, {}, 0}), ValueError);
  CHECK_THROWS_AS(ops::get_item(x, "a"), ValueError);
  CHECK_THROWS_AS(ops::get_item(x, ops::zeros({2})), ValueError);
  CHECK_THROWS_AS(ops::get_item(x, ops::ones({3}, DType::boolean)), ShapeError);
  CHECK_THROWS_AS(ops::get_item(x, Value::List{Tensor::from({0}, {1}), 0, 0}), ShapeError);
  CHECK(error_of([&] { ops::take(x, x, 0); }) == "take: indices must be integers, found float32.");
  CHECK_THROWS_AS(ops::take(x, 0, 2), ShapeError);
  CHECK(error_of([&] {
          ops::take_along_axis(x, Tensor::from({0, 1, 0}, {3, 1}), 1);
        }) ==
        "take_along_axis: indices of shape (3, 1) do not fit x of shape (2, 3): all axes but 1 "
        "must agree.");
  CHECK(error_of([&] { ops::top_k(x, 4); }) == "top_k: k = 4 of a last axis in shape (2, 3).");
}

TEST_CASE("tensors as indices choose as NumPy's do") {
  const Tensor x = ops::reshape(ops::arange(24), {2, 3, 4});
  const auto values = [&](const Value& key) { return ops::get_item(x, key).to_vector<int32_t>(); };
  const auto shape = [&](const Value& key) { return ops::get_item(x, key).shape(); };
  using V = std::vector<int32_t>;
  const Tensor both = Tensor::from({1, 0}, {2}), ends = Tensor::from({0, -1}, {2});
  CHECK(shape(both) == Shape{2, 3, 4});
  CHECK(values(Value::List{both, 0, 0}) == V{12, 0});
  CHECK(values(Value::List{both, Slice{0, 1}, ends}) == V{12, 3});
  CHECK(shape(Value::List{Slice{}, ends}) == Shape{2, 2, 4});
  CHECK(shape(Value::List{ends, Slice{}, ends}) == Shape{2, 3});
  CHECK(shape(Value::List{Slice{}, ends, ends}) == Shape{2, 2});
  CHECK(values(Value::List{Slice{}, ends, ends}) == V{0, 11, 12, 23});
  CHECK(values(Value::List{Ellipsis{}, Slice{0, 1}, both}) == V{1, 0, 13, 12});
  CHECK(shape(Value::List{{}, both}) == Shape{1, 2, 3, 4});
  // Indices apart stand in front.
  CHECK(shape(Value::List{0, Slice{}, Tensor::from({1, 2, 3}, {3})}) == Shape{3, 3});
  CHECK(values(Value::List{0, Slice{}, both}) == V{1, 5, 9, 0, 4, 8});
  CHECK(shape(Value::List{Tensor::from({0, 1}, {2, 1}), Tensor::from({0, 1, 2}, {1, 3})}) ==
        Shape{2, 3, 4});
  // Masks.
  CHECK(values(ops::greater(x, 20)) == V{21, 22, 23});
  const Tensor rows = ops::cast(Tensor::from({1, 0, 1}, {3}), DType::boolean);
  CHECK(values(Value::List{1, rows, 0}) == V{12, 20});
  CHECK(shape(Value::List{Slice{}, rows}) == Shape{2, 2, 4});
  // A gradient adds up what is chosen twice.
  const Tensor y = ops::ones({3});
  GradientTape tape;
  tape.watch(y);
  const Tensor chosen = ops::get_item(y, Tensor::from({2, 0, 2}, {3}));
  CHECK(tape.gradient(ops::sum(chosen), y).to_vector<float>() == std::vector<float>{1, 0, 2});
}

}  // namespace indexing_ops_test
