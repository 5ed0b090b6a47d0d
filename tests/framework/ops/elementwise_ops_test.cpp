// Elementwise ops, activations, casts and selections against Keras.
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "op_goldens.h"
#include "support/all_close.h"

namespace elementwise_ops_test {

using namespace cornu;
using cornu::test::check_op_goldens;
using cornu::test::error_of;

TEST_CASE("ops of one operand give Keras's values and dtypes") { check_op_goldens("unary"); }
TEST_CASE("ops of several operands give Keras's values and dtypes") { check_op_goldens("binary"); }

TEST_CASE("ops without a Keras class compute what their row says") {
  const Tensor x = Tensor::from({-1.5f, 0.5f, 2.5f}, {3});
  CHECK(detail::round_even(x).to_vector<float>() == std::vector<float>{-2, 0, 2});
  CHECK(detail::elementwise<backend::Opcode::fma>(x, 2.0, 1.0).to_vector<float>() ==
        std::vector<float>{-2, 2, 6});
  CHECK(detail::elementwise<backend::Opcode::lerp>(x, 0.5, 0.5).to_vector<float>() ==
        std::vector<float>{-0.5, 0.5, 1.5});
  CHECK(detail::elementwise<backend::Opcode::lgamma>(Tensor(4.0)).item() == Approx(std::log(6.0)));
  CHECK(detail::digamma(Tensor(1.0)).item() == Approx(-0.5772156649));
  CHECK(ops::mish(Tensor(1.0)).item() == Approx(0.8650983882));
}

TEST_CASE("a fused program is one pass with the value of its parts") {
  const Tensor x = Tensor::from({-1.0, 0.5, 2.0}, {3}), a = Tensor::from({2.0, 3.0}, {2, 1});
  const Tensor fast = fused([](Expr x, Expr a) { return x * expr::sigmoid(a * x); }, x, a);
  CHECK(fast.shape() == Shape{2, 3});
  CHECK(fast.dtype() == DType::float64);
  CHECK(test::all_close(fast, x * ops::sigmoid(a * x), 1e-14));
  const Tensors both = fused_many(
      DType::float32,
      [](Expr x) {
        return std::vector<Expr>{x + 1.0, x * 2.0};
      },
      Tensor::from({1, 2}, {2}));
  CHECK(both[0].to_vector<float>() == std::vector<float>{2, 3});
  CHECK(both[1].to_vector<float>() == std::vector<float>{2, 4});
}

TEST_CASE("numbers written in C++ are whole in float64 computations") {
  const Tensor x = Tensor::from({3.0}, {1});
  CHECK((x * 0.1).item() == Approx(0.3).epsilon(1e-14));
  CHECK((x < 3.00000001).item() == 1);
  CHECK(ops::full({}, 0.2, DType::float64).item() == Approx(0.2).epsilon(1e-14));
  CHECK((Tensor::from({3.0f}, {1}) * 0.1).dtype() == DType::float32);
}

TEST_CASE("elementwise ops say which shapes or dtypes they refuse") {
  const Tensor a = ops::zeros({2, 3}), b = ops::zeros({4});
  CHECK_THROWS_AS(a + b, ShapeError);
  CHECK(error_of([&] { a + b; }) ==
        "add: the shapes (2, 3) and (4,) do not broadcast: axes, counted from the last, must be "
        "equal or 1.");
  CHECK(error_of([&] { ops::where(a, a, b); }).find("where: the shapes (2, 3)") == 0);
  CHECK_THROWS_AS(ops::bitwise_and(a, a), ValueError);
  CHECK(error_of([&] { ops::bitwise_not(b); }) ==
        "bitwise_not: takes integers and bools, found floats.");
}

}  // namespace elementwise_ops_test
