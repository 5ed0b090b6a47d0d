// Results of several tensors, taken apart.
#include <catch.h>
#include <cornu/framework/ops/linalg/decompositions.h>
#include <cornu/framework/ops/linalg/solvers.h>
#include <cornu/framework/ops/math/fft.h>
#include <cornu/framework/ops/math/top_k.h>
#include <cornu/framework/ops/ops.h>

namespace parts_test {

using namespace cornu;

TEST_CASE("results of several tensors are taken apart by structured bindings") {
  const Tensor x = Tensor::from({3.0f, 9.0f, 4.0f, 1.0f, 0.5f, 2.0f}, {2, 3});
  const auto [values, indices] = ops::top_k(x, 2);
  CHECK(values.to_vector<float>() == std::vector<float>{9, 4, 2, 1});
  CHECK(indices.to_vector<int>() == std::vector<int>{1, 2, 2, 0});
  const auto [q, r] = ops::qr(x);
  CHECK(ops::allclose(ops::matmul(q, r), x, 1e-5, 1e-5).item() != 0);
  auto [u, s, v] = ops::svd(x, false);
  CHECK(ops::allclose(ops::matmul(u * s, v), x, 1e-5, 1e-5).item() != 0);
  auto [sign, logarithm] = ops::slogdet(Tensor::from({0.0f, 2.0f, 1.0f, 0.0f}, {2, 2}));
  CHECK(sign.item() == -1);
  CHECK(logarithm.item() == Approx(0.6931472));
  const auto [real, imaginary] = ops::rfft(Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4}));
  CHECK(real.to_vector<float>()[0] == Approx(10));
  CHECK(imaginary.shape() == Shape{3});
}

TEST_CASE("results of several tensors are lists as well") {
  const Tensor x = Tensor::from({3.0f, 9.0f, 4.0f}, {3});
  const std::vector<Tensor> list = ops::top_k(x, 1);
  CHECK(list.size() == 2);
  CHECK(ops::top_k(x, 1)[1].item() == 1);
  const Nest nest = ops::top_k(x, 1);
  CHECK(nest.size() == 2);
  const Tensor singular = ops::svd(Tensor::from({2.0f, 0.0f, 0.0f, 1.0f}, {2, 2}), true, false);
  CHECK(singular.to_vector<float>() == std::vector<float>{2, 1});
}

}  // namespace parts_test
