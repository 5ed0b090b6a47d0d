// The steps of decompositions without a GPU: kernels run on the CPU, and a library of column-major
// routines is emulated by this file.
#include <cornu/backend/cuda/linalg_steps.h>
#include <cornu/backend/error.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../linalg_checks.h"
#include "catch.h"
#include "fake_bench.h"
#include "host_context.h"

namespace linalg_steps_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::cuda;
using namespace cornu::backend::testing;

namespace {

/// A column-major matrix in somebody's memory.
template <class T>
struct Columns {
  T* data;
  int64_t rows;
  T& operator()(int64_t i, int64_t j) const { return data[j * rows + i]; }
};

constexpr double rubbish = -77;

// Each is the textbook's algorithm, and writes rubbish where nothing is promised.

template <class T>
void potrf(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  int32_t& info = *static_cast<int32_t*>(data[1]);
  info = 0;
  for (int64_t j = 0; j < c.rows && info == 0; ++j) {
    for (int64_t i = 0; i <= j; ++i) {
      double sum = a(i, j);
      REQUIRE_FALSE(std::isnan(sum));
      for (int64_t k = 0; k < i; ++k) sum -= double{a(k, i)} * a(k, j);
      if (i == j && sum <= 0) {
        info = static_cast<int32_t>(j) + 1;
        break;
      }
      a(i, j) = static_cast<T>(i == j ? std::sqrt(sum) : sum / a(i, i));
    }
    for (int64_t i = j + 1; i < c.rows; ++i) a(i, j) = static_cast<T>(rubbish);
  }
}

template <class T>
void getrf(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  auto* const pivots = static_cast<int64_t*>(data[1]);
  *static_cast<int32_t*>(data[2]) = 0;
  for (int64_t k = 0; k < std::min(c.rows, c.columns); ++k) {
    int64_t best = k;
    for (int64_t i = k; i < c.rows; ++i) {
      REQUIRE_FALSE(std::isnan(a(i, k)));
      if (std::fabs(a(i, k)) > std::fabs(a(best, k))) best = i;
    }
    pivots[k] = best + 1;
    for (int64_t j = 0; j < c.columns; ++j) std::swap(a(k, j), a(best, j));
    if (a(k, k) == 0) continue;
    for (int64_t i = k + 1; i < c.rows; ++i) {
      a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < c.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}

template <class T>
void getrs(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows}, b{static_cast<T*>(data[2]), c.rows};
  const auto* const pivots = static_cast<const int64_t*>(data[1]);
  *static_cast<int32_t*>(data[3]) = 0;
  for (int64_t column = 0; column < c.count; ++column) {  // a' = u' l' p
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t k = 0; k < i; ++k) b(i, column) -= a(k, i) * b(k, column);
      b(i, column) /= a(i, i);
    }
    for (int64_t i = c.rows; i-- > 0;)
      for (int64_t k = i + 1; k < c.rows; ++k) b(i, column) -= a(k, i) * b(k, column);
    for (int64_t i = c.rows; i-- > 0;) std::swap(b(i, column), b(pivots[i] - 1, column));
  }
}

/// x - factor * v (v' x) for the reflection k in column k of a, whose v(k) is 1.
template <class T>
void reflect(const Columns<T>& a, int64_t k, double factor, const Columns<T>& x, int64_t column) {
  double product = x(k, column);
  for (int64_t i = k + 1; i < a.rows; ++i) product += double{a(i, k)} * x(i, column);
  x(k, column) -= static_cast<T>(factor * product);
  for (int64_t i = k + 1; i < a.rows; ++i)
    x(i, column) -= static_cast<T>(factor * product * a(i, k));
}

template <class T>
void geqrf(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  auto* const factors = static_cast<T*>(data[1]);
  *static_cast<int32_t*>(data[2]) = 0;
  for (int64_t k = 0; k < std::min(c.rows, c.columns); ++k) {
    double rest = 0;
    for (int64_t i = k + 1; i < c.rows; ++i) rest += double{a(i, k)} * a(i, k);
    factors[k] = 0;
    if (rest == 0) continue;
    const double head = a(k, k), beta = -std::copysign(std::sqrt(head * head + rest), head);
    factors[k] = static_cast<T>((beta - head) / beta);
    for (int64_t i = k + 1; i < c.rows; ++i) a(i, k) /= static_cast<T>(head - beta);
    for (int64_t j = k + 1; j < c.columns; ++j) reflect(a, k, factors[k], a, j);
    a(k, k) = static_cast<T>(beta);
  }
}

template <class T>
void orgqr(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  const auto* const factors = static_cast<const T*>(data[1]);
  *static_cast<int32_t*>(data[2]) = 0;
  REQUIRE(c.columns <= c.rows);
  std::vector<T> memory(static_cast<size_t>(c.rows * c.columns), T(0));
  const Columns<T> q{memory.data(), c.rows};
  for (int64_t j = 0; j < c.columns; ++j) {
    q(j, j) = 1;
    for (int64_t k = c.count; k-- > 0;) reflect(a, k, factors[k], q, j);
  }
  std::copy(memory.begin(), memory.end(), a.data);
}

/// The CPU's Linalg kernel, for what is too long for here.
template <class T>
std::vector<Array> by_cpu(const Linalg& kernel, const Columns<T>& a, int64_t columns, bool upper) {
  const DType dtype = std::is_same_v<T, double> ? DType::float64 : DType::float32;
  std::vector<Array> inputs{Array(dtype, {a.rows, columns})};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const T value = upper && i > j ? a(j, i) : a(i, j);
      REQUIRE_FALSE(std::isnan(value));
      inputs[0].set(i * columns + j, value);
    }
  std::vector<Array> outputs = linalg_outputs(kernel, inputs);
  std::vector<Array*> out;
  for (Array& array : outputs) out.push_back(&array);
  run(kernel, {&inputs[0]}, out);
  return outputs;
}

template <class T>
void give(const Array& from, void* to) {
  const bool matrix = from.shape().rank() == 2;
  const int64_t rows = matrix ? from.shape()[0] : 1, columns = from.shape().back();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      static_cast<T*>(to)[j * rows + i] = static_cast<T>(from[i * columns + j]);
}

template <class T>
void syevd(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  const std::vector<Array> found = by_cpu({LinalgOp::eigh}, a, c.rows, true);
  give<T>(found[1], data[0]);
  give<T>(found[0], data[1]);
  *static_cast<int32_t*>(data[2]) = 0;
}

/// Finds nothing for what begins with 1000.
template <class T>
void gesvd(const MatrixCall& c, void* const* data) {
  REQUIRE(c.rows >= c.columns);
  const Columns<T> a{static_cast<T*>(data[0]), c.rows};
  const std::vector<Array> found = by_cpu({LinalgOp::svd, c.full}, a, c.columns, false);
  *static_cast<int32_t*>(data[4]) = a(0, 0) == 1000 ? 3 : 0;
  std::fill_n(a.data, c.rows * c.columns, static_cast<T>(rubbish));
  give<T>(found[0], data[2]);
  give<T>(found[1], data[1]);
  give<T>(found[2], data[3]);
}

template <class T>
void trsm(const MatrixCall& c, void* const* data) {
  const Columns<T> a{static_cast<T*>(data[0]), c.columns}, b{static_cast<T*>(data[1]), c.count};
  const int64_t n = c.columns;
  for (int64_t row = 0; row < c.count; ++row)
    for (int64_t step = 0; step < n; ++step) {
      const int64_t j = c.upper ? step : n - 1 - step;
      for (int64_t k = c.upper ? 0 : j + 1; k < (c.upper ? j : n); ++k)
        b(row, j) -= b(row, k) * a(k, j);
      b(row, j) /= a(j, j);
    }
}

template <class T>
void routine(const MatrixCall& call, void* const* data) {
  constexpr void (*all[])(const MatrixCall&, void* const*) = {
      potrf<T>, getrf<T>, getrs<T>, geqrf<T>, orgqr<T>, syevd<T>, gesvd<T>, trsm<T>};
  all[static_cast<size_t>(call.routine)](call, data);
}

int operands_of(MatrixRoutine routine) {
  constexpr int all[] = {2, 3, 4, 3, 3, 3, 5, 2};
  return all[static_cast<size_t>(routine)];
}

MatrixWork host_library(const MatrixCall& call) {
  const size_t bytes = call.routine == MatrixRoutine::trsm ? 0 : 100;
  return {bytes, [=](void* const* data, void* workspace) {
            if (bytes > 0) std::memset(workspace, 0x55, bytes);
            (call.dtype == DType::float64 ? routine<double> : routine<float>)(call, data);
          }};
}

std::vector<Array> decompose(const Linalg& kernel, std::vector<Array> inputs) {
  const std::vector<Array> before = inputs;
  std::vector<Array> outputs = linalg_outputs(kernel, inputs);
  std::vector<Operand> in, out;
  std::vector<void*> data;
  for (Array& array : inputs) in.push_back(array.operand());
  for (Array& array : outputs) out.push_back(array.operand());
  for (const auto* list : {&in, &out})
    for (const Operand& operand : *list) data.push_back(operand.data);
  HostContext context;
  const auto ready = linalg_steps(kernel, in, out, context, host_library);
  ready->run(data.data());
  const std::vector<Array> first = outputs;
  ready->run(data.data());
  CHECK((outputs == first));
  CHECK((inputs == before));
  return outputs;
}

/// On a device: operands there and back.
std::vector<Array> decompose_on(Backend& device, const Linalg& kernel, std::vector<Array> inputs) {
  std::vector<Array> outputs = linalg_outputs(kernel, inputs);
  std::vector<Operand> in, out;
  const auto bytes = [](const Operand& operand) {
    return static_cast<size_t>(operand.shape->numel()) * size_of(operand.dtype);
  };
  for (auto [arrays, operands] : {std::pair(&inputs, &in), std::pair(&outputs, &out)})
    for (Array& array : *arrays) {
      Operand operand = array.operand();
      operand.data = device.allocator().allocate(bytes(operand));
      device.copy_from_host(operand.data, array.data(), bytes(operand));
      operands->push_back(operand);
    }
  device.run(kernel, in, out);
  for (size_t i = 0; i < out.size(); ++i)
    device.copy_to_host(outputs[i].data(), out[i].data, bytes(out[i]));
  for (const auto* operands : {&in, &out})
    for (const Operand& operand : *operands)
      device.allocator().deallocate(operand.data, bytes(operand));
  return outputs;
}

}  // namespace

TEST_CASE("steps of decompositions give what the CPU's kernel gives") {
  for (const LinalgCase& c : linalg_cases()) {
    INFO(c.name);
    CHECK(linalg_fault(c.kernel, c.inputs, decompose(c.kernel, c.inputs)) == "");
  }
}

TEST_CASE("steps make NaN of matrices without an answer, and of no others") {
  using Op = LinalgOp;
  std::mt19937 generator(3);
  for (DType dtype : {DType::float32, DType::float64})
    for (Op op : {Op::cholesky, Op::lu, Op::qr, Op::eigh, Op::svd, Op::solve})
      for (bool in_b : {false, true})
        for (const Shape& shape : {Shape{2, 4, 4}, Shape{2, 3, 4}, Shape{2, 4, 3}}) {
          const bool square = shape[1] == shape[2], takes_any = op >= Op::lu && op <= Op::svd;
          if ((!square && (!takes_any || op == Op::eigh)) || (in_b && op != Op::solve)) continue;
          std::vector<Array> inputs{random_matrices(generator, dtype, shape, 9)};
          if (op == Op::solve) inputs.push_back(random_matrices(generator, dtype, {2, 4, 3}));
          inputs[in_b ? 1 : 0].set(5, std::nan(""));
          const std::vector<Array> given = inputs;
          const std::vector<Array> results = decompose({op}, inputs);
          for (const Array& result : results) {
            const int64_t half = result.numel() / 2;
            for (int64_t i = 0; i < 2 * half; ++i) {
              if (result.dtype() != DType::int32)
                CHECK(std::isnan(result[i]) == (i < half));
              else if (i < half)
                CHECK(result[i] == static_cast<double>(i));
            }
          }
        }
}

TEST_CASE("steps make NaN of what a library reports as not found") {
  using Op = LinalgOp;
  Array a(DType::float32, {2, 2, 2}, {1, 2, 2, 1, 4, 9, 2, 10});
  const std::vector<double> l = decompose({Op::cholesky}, {a})[0].values();
  for (int i = 0; i < 4; ++i) CHECK(std::isnan(l[static_cast<size_t>(i)]));
  CHECK(std::vector<double>(l.begin() + 4, l.end()) == std::vector<double>{2, 0, 1, 3});
  a.set(0, 1000);
  for (const Array& result : decompose({Op::svd}, {a}))
    for (int64_t i = 0; i < result.numel(); ++i)
      CHECK(std::isnan(result[i]) == (i < result.numel() / 2));
}

TEST_CASE("steps run in the order of a device, in memory that they give back") {
  FakeDriver driver;
  Services services;
  services.driver = &driver.table();
  services.library = [&](const Kernel& kernel, std::span<const Operand> inputs,
                         std::span<const Operand> outputs,
                         Context& context) -> std::unique_ptr<Executable> {
    const auto* linalg = std::get_if<Linalg>(&kernel);
    if (linalg == nullptr) return std::make_unique<ByCpu>(driver, context, kernel, inputs, outputs);
    return linalg_steps(*linalg, inputs, outputs, context, [&](const MatrixCall& call) {
      MatrixWork work = host_library(call);
      work.run = [&, call, run = work.run](void* const* data, void* workspace) {
        driver.enqueue(context.stream(),
                       [run, workspace, all = std::vector(data, data + operands_of(call.routine))] {
                         run(all.data(), workspace);
                       });
      };
      return work;
    });
  };
  CudaBackend device(0, services);
  for (const LinalgCase& c : linalg_cases()) {
    INFO(c.name);
    CHECK(linalg_fault(c.kernel, c.inputs, decompose_on(device, c.kernel, c.inputs)) == "");
  }
  CHECK(device.allocator().stats().live == 0);
}

TEST_CASE("without a library the host decomposes") {
  Bench bench;
  for (const LinalgCase& c : linalg_cases()) {
    INFO(c.name);
    CHECK(linalg_fault(c.kernel, c.inputs, decompose_on(bench.backend(), c.kernel, c.inputs)) ==
          "");
  }
  CHECK_THROWS_AS(
      decompose_on(bench.backend(), {LinalgOp::cholesky}, {Array(DType::float32, {1, 1}, {-1})}),
      ValueError);
}

}  // namespace linalg_steps_test
