// Decompositions of matrices: they give back what they took apart, and gradients agree with finite
// differences.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/linalg/decompositions.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <limits>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"

namespace decompositions_test {

using namespace cornu;
using test::gradient_error;
using test::noise;
using List = std::vector<Tensor>;

namespace {

constexpr double tolerance = 1e-5;

Tensor turned(const Tensor& x) { return ops::swapaxes(x, -1, -2); }

bool close(const Tensor& x, const Tensor& y) { return test::all_close(x, y, 1e-9, 1e-9); }

// Symmetric positive definite matrices.
Tensor definite(const Shape& shape) {
  const Tensor a = noise(shape);
  return ops::matmul(a, turned(a)) + ops::eye(shape.back(), {}, 0, DType::float64);
}

}  // namespace

TEST_CASE("factors multiply to the matrix") {
  const Tensor a = noise({2, 4, 3}), square = noise({2, 3, 3}), spd = definite({2, 3, 3});
  const auto qr = ops::qr(a);
  CHECK(qr[0].shape() == Shape{2, 4, 3});
  CHECK(close(ops::matmul(qr[0], qr[1]), a));
  CHECK(ops::qr(a, "complete")[0].shape() == Shape{2, 4, 4});
  const Tensor l = ops::cholesky(spd);
  CHECK(close(ops::matmul(l, turned(l)), spd));
  CHECK(close(ops::cholesky(spd, true), turned(l)));
  CHECK(close(ops::cholesky_inverse(l), ops::inv(spd)));
  const auto e = ops::eigh(spd);
  CHECK(close(ops::matmul(e[1] * ops::expand_dims(e[0], {-2}), turned(e[1])), spd));
  for (const Tensor& x : {a, turned(a)}) {
    const Nest svd = ops::svd(x, false);
    CHECK(close(
        ops::matmul(svd[0].tensor() * ops::expand_dims(svd[1].tensor(), {-2}), svd[2].tensor()),
        x));
    CHECK(close(ops::svd(x, true, false).tensor(), svd[1].tensor()));
    const Tensor u = ops::svd(x)[0].tensor();
    CHECK(close(ops::matmul(turned(u), u) + ops::zeros({2, 1, 1}, DType::float64),
                ops::broadcast_to(ops::eye(u.shape(-1), {}, 0, DType::float64), u.shape())));
  }
  CHECK(close(ops::matmul(ops::inv(square), square),
              ops::broadcast_to(ops::eye(3, {}, 0, DType::float64), {2, 3, 3})));
}

TEST_CASE("systems, determinants, ranks and norms") {
  const Tensor a = Tensor::from({2.0f, 1.0f, 1.0f, 3.0f}, {2, 2}),
               b = Tensor::from({3.0f, 5.0f}, {2});
  CHECK(test::all_close(ops::solve(a, b), Tensor::from({0.8f, 1.4f}, {2})));
  CHECK(test::all_close(ops::solve_triangular(a, b, true), Tensor::from({1.5f, 3.5f / 3}, {2})));
  // One vector for several matrices.
  const Tensor both = ops::stack({a, a * 2.0});
  CHECK(test::all_close(ops::solve(both, b), Tensor::from({0.8f, 1.4f, 0.4f, 0.7f}, {2, 2})));
  CHECK(test::all_close(ops::solve_triangular(both, b, true)[1],
                        Tensor::from({0.75f, 1.75f / 3}, {2})));
  CHECK(ops::det(a).item() == Approx(5));
  CHECK(ops::logdet(a).item() == Approx(std::log(5.0)));
  CHECK(ops::slogdet(-a)[0].item() == 1);
  CHECK(ops::matrix_rank(Tensor::from({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2})).item() == 1);
  CHECK(ops::lu_factor(a)[1].to_vector<int32_t>() == std::vector<int32_t>{0, 1});
  const Tensor tall = noise({5, 3}), right = noise({5, 2});
  const Tensor normal =
      ops::solve(ops::matmul(turned(tall), tall), ops::matmul(turned(tall), right));
  CHECK(close(ops::lstsq(tall, right), normal));
  const Tensor x = Tensor::from({3.0f, -4.0f, 0.0f, 1.0f}, {2, 2});
  CHECK(ops::norm(x).item() == Approx(std::sqrt(26.0)));
  CHECK(ops::norm(x, 1, std::vector<int64_t>{1}).to_vector<float>() == std::vector<float>{7, 1});
  CHECK(ops::norm(x, std::numeric_limits<double>::infinity()).item() == Approx(7));
  CHECK(ops::norm(x, "nuc").item() == Approx(ops::sum(ops::svd(x, true, false).tensor()).item()));
  CHECK(ops::norm(x, 2, {}, true).shape() == Shape{1, 1});
}

TEST_CASE("gradients of decompositions agree with finite differences") {
  const Tensor square = noise({2, 3, 3}), tall = noise({4, 3}, -1, 1, 2),
               b = noise({2, 3, 2}, -1, 1, 3);
  const auto symmetric = [](const Tensor& x) {
    return ops::matmul(x, turned(x)) + ops::eye(3, {}, 0, DType::float64);
  };
  CHECK(gradient_error([](const List& l) { return ops::inv(l[0]); }, {square}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::det(l[0]); }, {square}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::logdet(l[0]); }, {square}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::solve(l[0], l[1]); }, {square, b}) <
        tolerance);
  CHECK(gradient_error([](const List& l) { return ops::solve_triangular(l[0], l[1], true); },
                       {square + 3.0 * ops::eye(3, {}, 0, DType::float64), b}) < tolerance);
  CHECK(gradient_error([&](const List& l) { return ops::cholesky(symmetric(l[0])); }, {square}) <
        tolerance);
  CHECK(gradient_error([](const List& l) { return ops::qr(l[0])[0]; }, {tall}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::qr(l[0])[1]; }, {tall}) < tolerance);
  CHECK(gradient_error([&](const List& l) { return ops::eigh(symmetric(l[0]))[0]; }, {square}) <
        tolerance);
  CHECK(gradient_error([](const List& l) { return ops::svd(l[0], true, false).tensor(); }, {tall}) <
        tolerance);
  CHECK(gradient_error(
            [](const List& l) {
              const Nest r = ops::svd(l[0], false);
              return ops::matmul(ops::square(r[0].tensor()), ops::square(r[2].tensor()));
            },
            {tall}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::pinv(l[0]); }, {tall}) < tolerance);
}

TEST_CASE("determinants and inverses of matrices at the edges") {
  const double nan_value = std::nan(""), inf = std::numeric_limits<double>::infinity();
  // Two exchanges, and one.
  const Tensor cycle = Tensor::from({0.0f, 2.0f, 0.0f, 0.0f, 0.0f, 3.0f, 4.0f, 0.0f, 0.0f}, {3, 3});
  CHECK(ops::det(cycle).item() == Approx(24));
  CHECK(ops::det(Tensor::from({0.0f, 1.0f, 1.0f, 0.0f}, {2, 2})).item() == -1);
  const Tensor singular = Tensor::from({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2});
  CHECK(ops::det(singular).item() == 0);
  CHECK(ops::slogdet(singular)[0].item() == 0);
  CHECK(ops::slogdet(singular)[1].item() == -inf);
  CHECK(
      test::all_close(ops::matmul(ops::matmul(singular, ops::pinv(singular)), singular), singular));
  const Tensor unknown = Tensor::from({1.0f, static_cast<float>(nan_value), 2.0f, 4.0f}, {2, 2});
  CHECK(std::isnan(ops::det(unknown).item()));
  CHECK(std::isnan(ops::logdet(unknown).item()));
  CHECK(std::isnan(ops::sum(ops::inv(unknown)).item()));
  CHECK(std::isnan(ops::sum(ops::pinv(unknown)).item()));
  const Tensor none = ops::zeros({2, 0, 0});
  CHECK(ops::det(none).to_vector<float>() == std::vector<float>{1, 1});
  CHECK(ops::slogdet(none)[1].to_vector<float>() == std::vector<float>{0, 0});
  CHECK(ops::inv(none).shape() == Shape{2, 0, 0});
  CHECK(ops::pinv(ops::zeros({3, 0})).shape() == Shape{0, 3});
  CHECK(ops::matrix_rank(none).to_vector<int32_t>() == std::vector<int32_t>{0, 0});
  CHECK(ops::inv(Tensor::from({4, 0, 0, 2}, {2, 2})).to_vector<float>() ==
        std::vector<float>{0.25f, 0, 0, 0.5f});
}

TEST_CASE("recorded functions replay decompositions and their gradients") {
  const auto f = [](const Nest& given) -> Nest {
    const Tensor x = given.tensor();
    GradientTape tape;
    tape.watch(x);
    const Tensor y = ops::logdet(x) + ops::sum(ops::solve(x, ops::matmul(x, x)), {-1, -2}) +
                     ops::sum(ops::pinv(x), {-1, -2}) +
                     ops::sum(ops::eigh(ops::matmul(x, turned(x)))[0], -1);
    return std::vector<Tensor>{y, tape.gradient(ops::sum(y), x)};
  };
  Function recorded(f);
  for (uint32_t seed : {1u, 2u, 3u}) {
    const Tensor x = definite({2, 4, 4}) + noise({2, 4, 4}, -0.1, 0.1, seed);
    const Nest expected = f(x), found = recorded(x);
    for (size_t i : {0, 1}) CHECK(close(found[i].tensor(), expected[i].tensor()));
  }
}

TEST_CASE("vectorized_map decomposes all matrices by one kernel") {
  const Tensor x = definite({3, 4, 4}), b = noise({4, 2});
  const auto f = [&](const Nest& x) -> Nest {
    const Tensor& a = x.tensor();
    return ops::solve(a, b) + ops::matmul(ops::inv(a), b) + ops::matmul(ops::qr(a)[0], b) +
           ops::matmul(ops::svd(a, false)[0].tensor(), b) + ops::det(a);
  };
  Function recorded([&](const Nest& x) { return ops::vectorized_map(f, x); });
  const Tensor expected = ops::vectorized_map(f, x).tensor();
  for (int run = 0; run < 3; ++run) CHECK(close(recorded(x).tensor(), expected));
  CHECK(recorded.plans().find("rounds") == std::string::npos);
}

TEST_CASE("decompositions say what they refuse") {
  CHECK_THROWS_AS(ops::inv(ops::zeros({2, 3})), ShapeError);
  if (default_device().is_cpu())  // a GPU gives NaN
    CHECK_THROWS_AS(ops::cholesky(-ops::eye(2)), ValueError);
  CHECK_THROWS_AS(ops::norm(ops::eye(2), "sum"), ValueError);
  const auto gradient_of = [](const std::function<Tensor(const Tensor&)>& f, const Shape& shape) {
    const Tensor x = noise(shape);
    GradientTape tape;
    tape.watch(x);
    const Tensor y = f(x);
    return tape.gradient(y, x);
  };
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(gradient_of([](const Tensor& x) { return ops::lu_factor(x)[0]; }, {2, 2}),
                    Contains("lu_factor: no gradient"));
  CHECK_THROWS_WITH(gradient_of([](const Tensor& x) { return ops::qr(x)[0]; }, {2, 3}),
                    Contains("qr: no gradient"));
  CHECK_THROWS_WITH(gradient_of([](const Tensor& x) { return ops::svd(x)[0].tensor(); }, {3, 2}),
                    Contains("svd: no gradient"));
}

}  // namespace decompositions_test
