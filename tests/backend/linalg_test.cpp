// Decompositions of matrices on the CPU.
#include <cornu/backend/error.h>

#include <cmath>

#include "catch.h"
#include "linalg_checks.h"

namespace linalg_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

std::vector<Array> decompose(const Linalg& kernel, std::vector<Array> inputs) {
  std::vector<Array> outputs = linalg_outputs(kernel, inputs);
  std::vector<Array*> in, out;
  for (Array& array : inputs) in.push_back(&array);
  for (Array& array : outputs) out.push_back(&array);
  run(kernel, in, out);
  return outputs;
}

const double nan_value = std::nan("");

Array matrix(const Shape& shape, const std::vector<double>& values) {
  return Array(DType::float64, shape, values);
}

bool all_nan(const std::vector<double>& values) {
  for (double v : values)
    if (!std::isnan(v)) return false;
  return true;
}

}  // namespace

TEST_CASE("decompositions multiply to what they decompose") {
  for (const LinalgCase& c : linalg_cases()) {
    INFO(c.name);
    CHECK(linalg_fault(c.kernel, c.inputs, decompose(c.kernel, c.inputs)) == "");
  }
}

TEST_CASE("decompositions of small matrices have known values") {
  using Op = LinalgOp;
  CHECK(decompose({Op::cholesky}, {matrix({2, 2}, {4, 99, 2, 10})})[0].values() ==
        std::vector<double>{2, 0, 1, 3});
  const auto lu = decompose({Op::lu}, {matrix({2, 2}, {1, 2, 4, 4})});
  CHECK(lu[0].values() == std::vector<double>{4, 4, 0.25, 1});
  CHECK(lu[1].values() == std::vector<double>{1, 1});
  const auto e = decompose({Op::eigh}, {matrix({2, 2}, {2, 2, 0, 2})});
  CHECK(e[0][0] == Approx(1));
  CHECK(e[0][1] == Approx(3));
  const auto svd = decompose({Op::svd}, {matrix({2, 2}, {0, -3, 2, 0})});
  CHECK(svd[1][0] == Approx(3));
  CHECK(svd[1][1] == Approx(2));
  const Array a = matrix({2, 2}, {2, 1, 1, 3}), b = matrix({2, 1}, {3, 5});
  const auto y = decompose({Op::solve}, {a, b});
  CHECK(y[0][0] == Approx(0.8));
  CHECK(y[0][1] == Approx(1.4));
  CHECK(decompose({Op::solve_triangular, false, true}, {a, b})[0][1] == Approx(3.5 / 3));
  CHECK(decompose({Op::solve_triangular, false, false}, {a, b})[0][0] == Approx(2.0 / 3));
}

TEST_CASE("decompositions of matrices without elements") {
  using Op = LinalgOp;
  for (const Shape& shape : {Shape{0, 0}, Shape{0, 3, 3}, Shape{2, 0, 0}})
    for (Op op : {Op::cholesky, Op::lu, Op::eigh, Op::solve, Op::solve_triangular}) {
      std::vector<Array> inputs{Array(DType::float32, shape)};
      if (op >= Op::solve) inputs.push_back(inputs[0]);
      const Linalg kernel{op};
      CHECK(linalg_fault(kernel, inputs, decompose(kernel, inputs)) == "");
    }
  for (const Shape& shape : {Shape{3, 0}, Shape{0, 3}, Shape{2, 3, 0}})
    for (Op op : {Op::lu, Op::qr, Op::svd})
      for (bool complete : {false, true}) {
        const Linalg kernel{op, complete};
        const std::vector<Array> inputs{Array(DType::float64, shape)};
        CHECK(linalg_fault(kernel, inputs, decompose(kernel, inputs)) == "");
      }
}

TEST_CASE("a NaN makes all results of its matrix NaN, and of no other") {
  using Op = LinalgOp;
  std::mt19937 generator(3);
  for (DType dtype : {DType::float32, DType::float64})
    for (Op op : {Op::lu, Op::qr, Op::eigh, Op::svd, Op::solve}) {
      Array a = random_matrices(generator, dtype, {2, 4, 4}, 2);
      std::vector<Array> inputs{a};
      if (op == Op::solve) inputs.push_back(random_matrices(generator, dtype, {2, 4, 3}));
      inputs[0].set(5, nan_value);
      for (const Array& result : decompose({op}, inputs)) {
        const std::vector<double> values = result.values();
        const auto middle = values.begin() + static_cast<int64_t>(values.size()) / 2;
        if (result.dtype() == DType::int32)  // no rows are exchanged
          CHECK(std::vector<double>(values.begin(), middle) == std::vector<double>{0, 1, 2, 3});
        else
          CHECK(all_nan({values.begin(), middle}));
        for (auto at = middle; at != values.end(); ++at) CHECK_FALSE(std::isnan(*at));
      }
    }
}

TEST_CASE("matrices without an answer") {
  using Op = LinalgOp;
  CHECK_THROWS_WITH(
      decompose({Op::cholesky}, {matrix({2, 2}, {1, 2, 2, 1})}),
      Catch::Matchers::Contains("not positive definite (its leading minor of order 2"));
  CHECK_THROWS_AS(decompose({Op::cholesky}, {matrix({1, 1}, {nan_value})}), ValueError);
  // Division by a pivot of 0.
  const auto y =
      decompose({Op::solve}, {matrix({2, 2}, {1, 2, 2, 4}), matrix({2, 1}, {1, 1})})[0].values();
  CHECK_FALSE(std::isfinite(y[0]));
  CHECK_FALSE(std::isfinite(y[1]));
}

}  // namespace linalg_test
