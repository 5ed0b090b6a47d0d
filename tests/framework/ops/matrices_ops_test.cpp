// Diagonals, triangles, products.
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"
#include "support/all_close.h"

namespace matrices_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;

namespace {

std::vector<int32_t> read(const Tensor& t) { return t.to_vector<int32_t>(); }

}  // namespace

TEST_CASE("diagonals are taken and made") {
  const Tensor x = ops::reshape(ops::arange(0, 6), {2, 3});
  CHECK(read(ops::diagonal(x)) == std::vector<int32_t>{0, 4});
  CHECK(read(ops::diagonal(x, 1)) == std::vector<int32_t>{1, 5});
  CHECK(read(ops::diagonal(x, -1)) == std::vector<int32_t>{3});
  CHECK(ops::diagonal(x, 3).size() == 0);
  CHECK(read(ops::diag(ops::arange(1, 3), 1)) == std::vector<int32_t>{0, 1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(read(ops::diag(ops::arange(1, 3), -1)) == std::vector<int32_t>{0, 0, 0, 1, 0, 0, 0, 2, 0});
  CHECK(ops::diagflat(x, 2).shape() == Shape{8, 8});
  CHECK(ops::trace(x).item() == 4);
  CHECK(ops::diagonal(ops::zeros({2, 3, 4, 5}), 1, 1, 3).shape() == Shape{2, 4, 3});
  CHECK(ops::trace(ops::ones({2, 2}, DType::boolean)).dtype() == DType::int32);
  CHECK(gradient_error([](const auto& in) { return ops::diagonal(in[0], 1, 0, 2); },
                       {noise({3, 2, 4})}) < 1e-7);
  CHECK(gradient_error([](const auto& in) { return ops::diag(in[0], -2); }, {noise({3})}) < 1e-7);
  CHECK_THROWS_AS(ops::diag(ops::zeros({1, 1, 1})), ShapeError);
}

TEST_CASE("triangles keep one side") {
  const Tensor x = ops::reshape(ops::arange(1, 7), {2, 3});
  CHECK(read(ops::tril(x)) == std::vector<int32_t>{1, 0, 0, 4, 5, 0});
  CHECK(read(ops::triu(x, 1)) == std::vector<int32_t>{0, 2, 3, 0, 0, 6});
  CHECK(ops::tri(2, 3, 1).to_vector<float>() == std::vector<float>{1, 1, 0, 1, 1, 1});
  CHECK(ops::tril(Input({4, 4})).shape() == Shape{std::nullopt, 4, 4});
  CHECK(ops::tril(ops::ones({2, 2}, DType::int8)).dtype() == DType::int8);
}

TEST_CASE("products over axes") {
  const Tensor a = noise({2, 3, 4}), b = noise({4, 3, 5}, -1, 1, 2);
  CHECK(ops::tensordot(a, b, 1).shape() == Shape{2, 3, 3, 5});
  const Value axes = Value::List{Value::List{1, 2}, Value::List{1, 0}};
  const Tensor c = ops::tensordot(a, b, axes);
  CHECK(test::all_close(c, ops::einsum("ijk,kjl->il", {a, b}), 1e-12, 1e-12));
  const Tensor small = ops::full({3}, 100, DType::int8);
  CHECK(ops::einsum("i,j->ij", {small, small})[0].to_vector<int32_t>() ==
        std::vector<int32_t>{10000, 10000, 10000});
  CHECK(ops::einsum("i->i", {small}).dtype() == DType::int32);
  CHECK(ops::tensordot(a, a, 3).shape() == Shape{});
  CHECK_THROWS_AS(ops::tensordot(a, b, 2), ShapeError);
  CHECK(ops::dot(a, noise({2, 4, 5})).shape() == Shape{2, 3, 2, 5});
  CHECK(ops::inner(noise({2, 4}), noise({3, 4})).shape() == Shape{2, 3});
  CHECK(ops::outer(noise({2, 4}), noise({3})).shape() == Shape{8, 3});
  CHECK(ops::vdot(ops::arange(0, 4), ops::arange(0, 4)).item() == 14);
  CHECK(ops::vdot(ops::arange(0, 4), ops::arange(0, 4)).dtype() == DType::int32);
  CHECK(read(ops::kron(ops::arange(1, 3), ops::arange(1, 3))) == std::vector<int32_t>{1, 2, 2, 4});
  CHECK(gradient_error([&](const auto& in) { return ops::tensordot(in[0], in[1], axes); }, {a, b}) <
        1e-7);
}

TEST_CASE("cross products and correlations") {
  const Tensor x = Tensor::from({1, 0, 0}, {3}), y = Tensor::from({0, 1, 0}, {3});
  CHECK(read(ops::cross(x, y)) == std::vector<int32_t>{0, 0, 1});
  CHECK(ops::cross(Tensor::from({1, 2}, {2}), Tensor::from({3, 4}, {2})).item() == -2);
  CHECK(read(ops::cross(Tensor::from({1, 2}, {2}), y)) == std::vector<int32_t>{0, 0, 1});
  CHECK(gradient_error([](const auto& in) { return ops::cross(in[0], in[1], 0, -1, 0); },
                       {noise({3, 2}), noise({2, 3}, -1, 1, 2)}) < 1e-7);
  const Tensor a = Tensor::from({1.0f, 2.0f, 3.0f}, {3}), b = Tensor::from({0.0f, 1.0f, 0.5f}, {3});
  CHECK(ops::correlate(a, b).to_vector<float>() == std::vector<float>{3.5f});
  CHECK(ops::correlate(a, b, "same").to_vector<float>() == std::vector<float>{2, 3.5f, 3});
  CHECK(ops::correlate(a, b, "full").to_vector<float>() == std::vector<float>{0.5f, 2, 3.5f, 3, 0});
  CHECK(ops::correlate(ops::slice(a, Tensor(std::vector<int>{0}), {2}), b).size() == 2);
  const Tensor r = ops::corrcoef(Tensor::from({1.0f, 2.0f, 3.0f, 3.0f, 2.0f, 1.0f}, {2, 3}));
  CHECK(r.to_vector<float>()[1] == Approx(-1));
  CHECK(ops::vander(ops::arange(1, 4)).to_vector<int32_t>() ==
        std::vector<int32_t>{1, 1, 1, 4, 2, 1, 9, 3, 1});
}

}  // namespace matrices_ops_test
