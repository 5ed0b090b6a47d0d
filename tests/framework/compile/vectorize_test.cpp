// vectorize, as NumPy's generalized universal functions.
#include <catch.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/compile/vectorize.h>
#include <cornu/framework/ops/ops.h>

namespace vectorize_test {

using namespace cornu;

namespace {

Tensor count_up(const Shape& shape) {
  return ops::reshape(ops::arange(0, shape.numel(), DType::float32), shape);
}

}  // namespace

TEST_CASE("vectorize calls a function of scalars on tensors that broadcast") {
  const auto larger = ops::vectorize(
      [](const Tensor& a, const Tensor& b) { return a.item() > b.item() ? a - b : a + b; });
  const Tensor y = larger(count_up({2, 3}), Tensor::from({2.f, 2.f, 1.f}, {3}));
  CHECK(y.shape() == Shape{2, 3});
  CHECK(y.to_vector<float>() == std::vector<float>{2, 3, 1, 1, 2, 4});
  CHECK(larger(count_up({4}), 2).tensor().to_vector<float>() == std::vector<float>{2, 3, 4, 1});
  CHECK(larger(Tensor(3.f), 2).item() == 1);
  CHECK(larger(count_up({1, 1}), 2).shape() == Shape{1, 1});
  CHECK(larger(ops::zeros({0, 3}), 2).shape() == Shape{0, 3});
  CHECK_THROWS_AS(larger(count_up({4}), count_up({3})), ShapeError);
  CHECK_THROWS_AS(larger(count_up({4})), ValueError);
}

TEST_CASE("vectorize takes the axes of a signature from arguments") {
  const auto times = ops::vectorize([](const Tensor& a, const Tensor& b) { return ops::dot(a, b); },
                                    {.signature = "(m,n),(n)->(m)"});
  const Tensor a = count_up({4, 1, 3, 2}), b = count_up({5, 2});
  const Tensor y = times(a, b);
  CHECK(y.shape() == Shape{4, 5, 3});
  CHECK(ops::max(ops::absolute(y - ops::einsum("aimn,bn->abm", {a, b}))).item() == 0);
  CHECK(times(count_up({3, 2}), count_up({2})).shape() == Shape{3});
  CHECK_THROWS_AS(times(count_up({3, 2}), count_up({3})), ShapeError);
  CHECK_THROWS_AS(times(count_up({2}), count_up({2})), ShapeError);
  CHECK_THROWS_AS(times(a), ValueError);
}

TEST_CASE("vectorize gives several results, and leaves excluded arguments alone") {
  const auto ends = ops::vectorize(
      [](const std::vector<Tensor>& x) {
        return Nest{ops::min(x[0]) + x[1][1], x[0] * ops::sum(x[1])};
      },
      {.excluded = {1}, .signature = "(n)->(),(n)"});
  const Nest y = ends(count_up({2, 3}), Tensor::from({1.f, 10.f}, {2}));
  CHECK(y[0].to_vector<float>() == std::vector<float>{10, 13});
  CHECK(y[1].to_vector<float>() == std::vector<float>{0, 11, 22, 33, 44, 55});
}

TEST_CASE("vectorize has gradients, and is recorded") {
  const auto norm = ops::vectorize([](const Tensor& x) { return ops::sqrt(ops::sum(x * x)); },
                                   {.signature = "(n)->()"});
  const Tensor x = count_up({3, 2}) + 1;
  GradientTape tape;
  tape.watch(x);
  const Tensor y = norm(x);
  const Tensor want = x / ops::expand_dims(y, {-1});
  CHECK(ops::max(ops::absolute(tape.gradient(ops::sum(y), x) - want)).item() < 1e-6);
  auto recorded = function([&](const Tensor& x) -> Tensor { return norm(x); });
  for (int i = 0; i < 3; ++i) CHECK(ops::max(ops::absolute(recorded(x) - y)).item() < 1e-6);
}

TEST_CASE("vectorize refuses what is no signature, and results that are not of it") {
  const auto same = [](const Tensor& x) { return x; };
  for (const char* wrong : {"(n)", "n->n", "(n),->(n)", "(n->(n)", "(n,)->()", "(n)->()->()"})
    CHECK_THROWS_AS(ops::vectorize(same, {.signature = wrong}), ValueError);
  CHECK_NOTHROW(ops::vectorize(same, {.signature = "(n, m_1), () -> (n)"}));
  const Tensor x = count_up({2, 3});
  CHECK_THROWS_AS(ops::vectorize(same, {.signature = "(n)->()"})(x), ShapeError);
  CHECK_THROWS_AS(ops::vectorize(same, {.signature = "(n)->(n),(n)"})(x), ValueError);
  const auto longer = [](const Tensor& x) { return ops::concatenate({x, x}); };
  CHECK_THROWS_AS(ops::vectorize(longer, {.signature = "(n)->(n)"})(x), ShapeError);
}

}  // namespace vectorize_test
