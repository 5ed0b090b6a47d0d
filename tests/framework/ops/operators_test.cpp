// Tests of C++'s operators on tensors, of conditions, and of indices.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>

#include <sstream>

#include "../model/model_support.h"

namespace operators_test {

using namespace cornu;
using namespace cornu::test;

namespace {

using Numbers = std::vector<int64_t>;

Tensor numbers(const Numbers& values) { return Tensor(values); }
Numbers values(const Tensor& x) { return x.to_vector<int64_t>(); }
Tensor counted(const Shape& shape) { return ops::reshape(ops::arange(0, shape.numel()), shape); }

}  // namespace

TEST_CASE("Operators are ops") {
  const Tensor x = numbers({7, -7, 4}), y = numbers({3, 3, 4});
  CHECK(values(x % y) == Numbers{1, 2, 0});
  CHECK(values(x == y) == Numbers{0, 0, 1});
  CHECK(values(x != y) == Numbers{1, 1, 0});
  CHECK(values(x == 4) == Numbers{0, 0, 1});
  CHECK(values(4 == x) == Numbers{0, 0, 1});
  CHECK(values(+x) == values(x));
  CHECK(values(numbers({6, 5}) & numbers({3, 4})) == Numbers{2, 4});
  CHECK(values(numbers({6, 5}) | numbers({3, 4})) == Numbers{7, 5});
  CHECK(values(numbers({6, 5}) ^ numbers({3, 4})) == Numbers{5, 1});
  CHECK(values(~numbers({0, 5})) == Numbers{-1, -6});
  CHECK(values((x > 0) & (x < 5)) == Numbers{0, 0, 1});
  CHECK(values((x > 5) | (x < 0)) == Numbers{1, 1, 0});
  CHECK(values((x > 5) ^ (x > 3)) == Numbers{0, 0, 1});
  CHECK(values(~(x > 0)) == Numbers{0, 1, 0});
  CHECK((~(x > 0)).dtype() == DType::boolean);
}

TEST_CASE("Assigning operators change the handle and no other") {
  Tensor x = numbers({6, 8});
  const Tensor before = x;
  x += 2;
  CHECK(values(x) == Numbers{8, 10});
  x -= numbers({1, 2});
  CHECK(values(x) == Numbers{7, 8});
  x *= 2;
  CHECK(values(x) == Numbers{14, 16});
  x %= 5;
  CHECK(values(x) == Numbers{4, 1});
  x /= 2;
  CHECK(x.to_vector<double>() == std::vector<double>{2, 0.5});
  CHECK(values(before) == Numbers{6, 8});
}

TEST_CASE("Bits are moved and combined by operators") {
  Tensor x = numbers({1, 6, -8});
  const Tensor before = x;
  CHECK(values(x << 1) == Numbers{2, 12, -16});
  CHECK(values(x >> 1) == Numbers{0, 3, -4});
  CHECK(values(1 << numbers({0, 3})) == Numbers{1, 8});
  x <<= 2;
  CHECK(values(x) == Numbers{4, 24, -32});
  x >>= numbers({1, 2, 3});
  CHECK(values(x) == Numbers{2, 6, -4});
  x &= 6;
  CHECK(values(x) == Numbers{2, 6, 4});
  x |= 1;
  CHECK(values(x) == Numbers{3, 7, 5});
  x ^= numbers({3, 3, 3});
  CHECK(values(x) == Numbers{0, 4, 6});
  CHECK(values(before) == Numbers{1, 6, -8});
  Tensor yes = numbers({1, 0}) > 0;
  yes &= numbers({1, 1}) > 0;
  CHECK(yes.dtype() == DType::boolean);
  CHECK(values(yes) == Numbers{1, 0});
  std::ostringstream out;
  out << numbers({1}) << 1;
  CHECK(out.str() == "[1] int64 (1,)1");
}

TEST_CASE("A loop goes over the first axis") {
  Numbers sums;
  for (const Tensor& row : counted({3, 2})) sums.push_back(int64_t(ops::sum(row)));
  CHECK(sums == Numbers{1, 5, 9});
  const Tensor x = counted({3});
  const std::vector<Tensor> parts(x.begin(), x.end());
  REQUIRE(parts.size() == 3);
  CHECK(parts[2].shape() == Shape{});
  CHECK(parts[2].item() == 2);
  const Tensor none = ops::zeros({0, 2});
  CHECK(none.begin() == none.end());
  // As Python, where a scalar is not iterable.
  CHECK_THROWS_WITH(Tensor(1).begin(), has("needs a first axis of known size, found shape ()"));
  CHECK_THROWS_AS(Input({2}).begin(), ShapeError);
}

TEST_CASE("A comparison of one element is a condition") {
  const Tensor loss = Tensor::from<float>({0.5f}, {});
  CHECK(static_cast<bool>(loss < 1));
  CHECK_FALSE(static_cast<bool>(loss > 1));
  CHECK(!(loss > 1));
  CHECK((loss == 0.5 && loss != 1));
  const Condition several = numbers({1, 2}) > 1;
  CHECK_THROWS_WITH(static_cast<bool>(several), has("single element, found the shape (2,)"));
  CHECK_THROWS_AS(static_cast<bool>(several), ShapeError);
  const Input in({2});
  CHECK_THROWS_AS(static_cast<bool>(ops::sum(in) > 0), Error);
}

TEST_CASE("A tensor is compared with nullptr to see whether there is one") {
  const Tensor none, one = 1;
  CHECK(none == nullptr);
  CHECK(one != nullptr);
  CHECK(nullptr == none);
  CHECK_FALSE(one == nullptr);
}

TEST_CASE("An index is NumPy's") {
  const Tensor x = counted({3, 4});
  CHECK(values(x[1]) == Numbers{4, 5, 6, 7});
  CHECK(values(x[-1]) == Numbers{8, 9, 10, 11});
  CHECK(values(x[{0, 2}]) == Numbers{2});
  CHECK(values(x[{0}]) == values(x[0]));
  CHECK(values(x[Slice(1, {})]) == Numbers{4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(values(x[{Slice(0, 2), Slice({}, {}, 2)}]) == Numbers{0, 2, 4, 6});
  CHECK(values(x[{Slice(), -1}]) == Numbers{3, 7, 11});
  CHECK(values(x[{ellipsis, 1}]) == Numbers{1, 5, 9});
  CHECK(values(x[{Slice({}, {}, -1), 0}]) == Numbers{8, 4, 0});
  CHECK(x[{ellipsis, newaxis}].shape() == Shape{3, 4, 1});
  CHECK(x[{std::nullopt, 0}].shape() == Shape{1, 4});
  CHECK(values(x[x > 8]) == Numbers{9, 10, 11});
  CHECK(values(x[numbers({2, 0})][{Slice(), 0}]) == Numbers{8, 0});
  CHECK_THROWS_WITH(x[3], has("index 3 is out of range for axis 0 of shape (3, 4)"));
  const Input in({4});
  CHECK(in[{Slice(), Slice(1, 3)}].shape() == Shape{std::nullopt, 2});
}

TEST_CASE("Axes may be a number or a list") {
  const Tensor x = counted({2, 3});
  CHECK(ops::expand_dims(x, -1).shape() == Shape{2, 3, 1});
  CHECK(ops::expand_dims(x, {0, 1}).shape() == Shape{1, 1, 2, 3});
  CHECK(values(ops::transpose(x, {1, 0})) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(values(ops::transpose(x)) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(ops::moveaxis(counted({2, 3, 4}), 0, -1).shape() == Shape{3, 4, 2});
  CHECK(ops::max_pool(ops::ones({1, 4, 4, 1}), 2).shape() == Shape{1, 2, 2, 1});
  CHECK(ops::max_pool(ops::ones({1, 4, 4, 1}), {2, 1}, 1).shape() == Shape{1, 3, 4, 1});
  CHECK(ops::conv(ops::ones({1, 5, 5, 1}), ops::ones({3, 3, 1, 2}), 2).shape() ==
        Shape{1, 2, 2, 2});
}

TEST_CASE("A part of a prediction is a row, or an output") {
  const Prediction prediction = Nest(counted({2, 3}));
  CHECK(values(prediction[1]) == Numbers{3, 4, 5});
  CHECK(values(Nest(prediction)[0]) == values(prediction));
  CHECK(values(Prediction(Nest{numbers({1}), numbers({2})})[1]) == Numbers{2});
  CHECK(prediction.shape() == Shape{2, 3});
  CHECK(values(prediction - 1) == Numbers{-1, 0, 1, 2, 3, 4});
  const Nest list{numbers({1}), numbers({2})};
  CHECK(values(list[-1]) == Numbers{2});
  CHECK_THROWS_WITH(list[2], has("Element 2 of the structure [*, *] does not exist: it has 2."));
}

TEST_CASE("What asks about elements is a condition of C++") {
  const Tensor x = numbers({1, 2}), one = ops::array({1.0});
  CHECK_FALSE(bool(ops::any(x > 10)));
  CHECK(bool(ops::all(x > 0)));
  CHECK_FALSE(bool(ops::any(ops::isnan(x))));
  CHECK_FALSE(bool(ops::equal(one, 2)));
  CHECK(bool(ops::less(one, 2)));
  CHECK_FALSE(bool(ops::logical_not(one)));
  CHECK_FALSE(bool(ops::allclose(x, x + 1)));
  CHECK_FALSE(bool(ops::isinf(one)));
  int steps = 0;
  for (Tensor left = x; ops::any(left > 0); left = left - 1) ++steps;
  CHECK(steps == 2);
  CHECK_THROWS_WITH(bool(ops::isfinite(x)), has("ops::all(...) or ops::any(...)"));
  CHECK_THROWS_WITH(x > 0 && x < 2, has("the elementwise forms of !x, x && y and x || y are ~x, "
                                        "x & y and x | y."));
  CHECK_THROWS_WITH(!(x > 0), has("are ~x, x & y and x | y."));
  // In a graph a condition is a tensor as any other.
  const Input in({2});
  CHECK_THROWS_WITH(in > 0 || in < -1, has("are ~x, x & y and x | y."));
  CHECK(Tensor(ops::any(in > 0, 1)).is_symbolic());
  CHECK(Tensor(ops::less(in, 0)).dtype() == DType::boolean);
}

TEST_CASE("Temporaries are not assigned to") {
  STATIC_REQUIRE(!std::is_assignable_v<Tensor, Tensor>);
  STATIC_REQUIRE(std::is_assignable_v<Tensor&, Tensor>);
  STATIC_REQUIRE(std::is_assignable_v<Tensor&, const Tensor&>);
}

}  // namespace operators_test
