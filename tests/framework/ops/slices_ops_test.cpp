// Boxes and places chosen by tensors.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"

namespace slices_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;

namespace {

std::vector<int32_t> read(const Tensor& t) { return t.to_vector<int32_t>(); }
Tensor ints(std::vector<int32_t> v) { return Tensor(v); }

}  // namespace

TEST_CASE("slices begin where a tensor says") {
  const Tensor x = ops::reshape(ops::arange(0, 12), {3, 4});
  CHECK(read(ops::slice(x, ints({1, 2}), {2, 2})) == std::vector<int32_t>{6, 7, 10, 11});
  CHECK(read(ops::slice(x, ints({5, 0}), {1, 4})) == std::vector<int32_t>{8, 9, 10, 11});
  CHECK(read(ops::slice_update(x, ints({2, 3}), Tensor::from({-1}, {1, 1}))).back() == -1);
  CHECK(read(ops::slice_update(ints({1, 2, 3}), ints({9}), ints({7, 8}))) ==
        std::vector<int32_t>{1, 7, 8});
  // A negative start counts from the end, and moves inside from before the beginning.
  CHECK(read(ops::slice(x, ints({-2, -3}), {1, 2})) == std::vector<int32_t>{5, 6});
  CHECK(read(ops::slice(x, ints({-9, -1}), {1, 2})) == std::vector<int32_t>{2, 3});
  CHECK(read(ops::slice_update(ints({1, 2, 3}), ints({-2}), ints({7}))) ==
        std::vector<int32_t>{1, 7, 3});
  CHECK_THROWS_AS(ops::slice(x, ints({0, 0}), {4, 4}), ShapeError);
  auto f = function([](const Tensor& x, const Tensor& start) { return ops::slice(x, start, {2}); });
  for (int i = 0; i < 4; ++i)
    CHECK(read(f(ints({4, 5, 6, 7}), ints({i})))[0] == 4 + std::min(i, 2));
}

TEST_CASE("scatter adds at places, and ignores those out of range") {
  CHECK(read(ops::scatter(Tensor::from({0, 1, 0, 1}, {2, 2}), ints({10, 5}), {2, 2})) ==
        std::vector<int32_t>{0, 15, 0, 0});
  CHECK(read(ops::scatter(Tensor::from({2, -1, 7}, {3, 1}),
                          Tensor::from({1, 2, 3, 4, 5, 6}, {3, 2}), {4, 2})) ==
        std::vector<int32_t>{0, 0, 0, 0, 1, 2, 3, 4});
  CHECK_THROWS_AS(ops::scatter(Tensor::from({0, 1}, {2, 1}), ints({1}), {4}), ShapeError);
}

TEST_CASE("scatter_update combines in four ways") {
  const Tensor x = ints({1, 2, 3, 4}), at = Tensor::from({0, 0, 2}, {3, 1}), u = ints({5, 7, -2});
  CHECK(read(ops::scatter_update(x, at, u)) == std::vector<int32_t>{7, 2, -2, 4});
  CHECK(read(ops::scatter_update(x, at, u, "add")) == std::vector<int32_t>{13, 2, 1, 4});
  CHECK(read(ops::scatter_update(x, at, u, "max")) == std::vector<int32_t>{7, 2, 3, 4});
  CHECK(read(ops::scatter_update(x, at, u, "min")) == std::vector<int32_t>{1, 2, -2, 4});
  CHECK(read(ops::scatter_update(x, at, u, "mul")) == std::vector<int32_t>{35, 2, -6, 4});
  CHECK_THROWS_AS(ops::scatter_update(x, at, u, "sub"), ValueError);
  const Tensor y = noise({4, 3}), v = noise({5, 3}, -1, 1, 3),
               rows = Tensor::from({0, 2, 2, 0, 3}, {5, 1});
  for (const char* how : {"add", "max", "min", "mul"}) {
    INFO(how);
    CHECK(
        gradient_error([&](const auto& in) { return ops::scatter_update(in[0], rows, in[1], how); },
                       {y, v}) < 1e-6);
  }
}

TEST_CASE("unstack of an axis of unknown size asks for the number") {
  CHECK(ops::unstack(Input({3}), {}, 1).size() == 3);
  CHECK_THROWS_AS(ops::unstack(Input({3})), ValueError);
  CHECK_THROWS_AS(ops::unstack(Input({3}), {}, 2), ShapeError);
}

}  // namespace slices_ops_test
