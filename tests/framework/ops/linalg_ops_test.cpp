// Products of matrices against Keras.
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "op_goldens.h"
#include "support/all_close.h"

namespace linalg_ops_test {

using namespace cornu;
using cornu::test::error_of;

TEST_CASE("products give Keras's values and dtypes") { cornu::test::check_op_goldens("linalg"); }

TEST_CASE("linear is a product and a bias") {
  const Tensor x = ops::cast(ops::reshape(ops::arange(0, 12), {2, 2, 3}), DType::float32);
  const Tensor kernel = Tensor::from({1.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f}, {3, 2});
  const Tensor bias = Tensor::from({0.5f, -1.0f}, {2});
  CHECK(test::all_close(ops::linear(x, kernel, bias), ops::matmul(x, kernel) + bias));
  CHECK(ops::linear(x[0][0], kernel, bias).shape() == Shape{2});
  CHECK(ops::linear(x, kernel).shape() == Shape{2, 2, 2});
}

TEST_CASE("products transpose on request") {
  const Tensor a = ops::cast(ops::reshape(ops::arange(0, 12), {2, 3, 2}), DType::float32);
  const Tensor b = ops::cast(ops::reshape(ops::arange(0, 24), {2, 4, 3}), DType::float32);
  const std::vector<int64_t> swap = {0, 2, 1};
  CHECK(test::all_close(ops::matmul_transposed(a, b, true, true),
                        ops::matmul(ops::transpose(a, swap), ops::transpose(b, swap))));
}

TEST_CASE("products say which shapes they refuse") {
  const Tensor a = ops::zeros({2, 3}), b = ops::zeros({4, 5});
  CHECK_THROWS_AS(ops::matmul(a, b), ShapeError);
  CHECK(error_of([&] { ops::matmul(a, b); }).find("matmul: shapes (2, 3) and (4, 5) do not fit") ==
        0);
  CHECK_THROWS_AS(ops::matmul(a, 2.0), ShapeError);
  CHECK_THROWS_AS(ops::matmul(ops::zeros({2, 2, 3}), ops::zeros({3, 3, 2})), ShapeError);
  CHECK(error_of([&] {
          ops::linear(a, b);
        }).find("input of shape (2, 3) and kernel of shape (4, 5)") != std::string::npos);
  CHECK(error_of([&] {
          ops::linear(b, ops::zeros({5, 3}), ops::zeros({2}));
        }) == "linear: bias of shape (2,) for 3 outputs.");
}

}  // namespace linalg_ops_test
