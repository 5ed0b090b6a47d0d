// Composed kernels give what the CPU's own kernels give, forwards and backwards.
#include <cornu/backend/compositions.h>
#include <cornu/backend/optional_kernels.h>

#include <cmath>

#include "array.h"
#include "catch.h"

namespace compositions_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

std::vector<Operand> operands(std::vector<Array>& arrays) {
  std::vector<Operand> all;
  for (Array& array : arrays) all.push_back(array.operand());
  return all;
}

void run_own(const Kernel& kernel, std::vector<Array>& inputs, std::vector<Array>& outputs) {
  use_rnn_kernel();
  use_attention_kernel();
  cpu_backend().run(kernel, operands(inputs), operands(outputs));
}

void run_composed(const Kernel& kernel, std::vector<Array>& inputs, std::vector<Array>& outputs) {
  CHECK(composed(kernel, operands(inputs), operands(outputs), cpu_backend()));
}

Array normals(std::mt19937& generator, DType dtype, const Shape& shape, double deviation = 0.7) {
  std::normal_distribution<double> normal(0, deviation);
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(generator));
  return array;
}

double difference(const Array& a, const Array& b) {
  double worst = 0;
  for (int64_t i = 0; i < b.numel(); ++i) {
    if (a[i] == b[i]) continue;
    const double error = std::fabs(a[i] - b[i]) / (1 + std::fabs(b[i]));
    worst = error <= worst ? worst : error;  // NaN counts
  }
  return worst;
}

double tolerance(DType dtype) {
  return dtype == DType::float64 ? 1e-12 : dtype == DType::float32 ? 2e-5 : 3e-2;
}

struct RnnSizes {
  int64_t batch, time, features, units;
};

// Forward and backward by both, each with what its own forward pass left.
void compare_rnn(Rnn kernel, const RnnSizes& n, DType dtype, bool no_gradients = false) {
  const int64_t g = kernel.cell == RnnCell::lstm ? 4 : kernel.cell == RnnCell::gru ? 3 : 1;
  const int states = kernel.cell == RnnCell::lstm ? 2 : 1;
  const Shape state({n.batch, n.units});
  std::mt19937 generator(11);
  std::vector<Array> inputs = {normals(generator, dtype, {n.batch, n.time, n.features}),
                               normals(generator, dtype, {n.features, g * n.units}),
                               normals(generator, dtype, {n.units, g * n.units})};
  if (kernel.bias)
    inputs.push_back(
        normals(generator, dtype,
                kernel.cell == RnnCell::gru ? Shape{2, g * n.units} : Shape{g * n.units}));
  for (int i = 0; i < states; ++i) inputs.push_back(normals(generator, dtype, state));
  std::vector<Array> outputs = {Array(dtype, {n.batch, n.time, n.units})};
  for (int i = 0; i < states; ++i) outputs.emplace_back(dtype, state);
  const size_t results = outputs.size();
  std::vector<Array> gradients;
  for (const Array& output : outputs)
    gradients.push_back(normals(generator, dtype, output.shape()));
  if (no_gradients) {
    gradients[0] = Array(dtype, Shape{0});
    gradients.back() = Array(dtype, Shape{0});
  }
  if (kernel.cell != RnnCell::simple) {
    outputs.emplace_back(dtype, Shape{n.time, n.batch, g * n.units});
    outputs.emplace_back(dtype, Shape{n.time, n.batch, n.units});
  }
  std::vector<Array> expected = outputs;
  run_composed(kernel, inputs, outputs);
  run_own(kernel, inputs, expected);
  INFO("cell " << static_cast<int>(kernel.cell) << " bias " << kernel.bias << " reverse "
               << kernel.reverse << " units " << n.units << " time " << n.time << " "
               << dtype_name(dtype));
  for (size_t i = 0; i < results; ++i) {
    INFO("output " << i);
    CHECK(difference(outputs[i], expected[i]) < tolerance(dtype));
  }

  kernel.backward = true;
  const auto all_inputs = [&](const std::vector<Array>& of_forward) {
    std::vector<Array> all = inputs;
    all.push_back(of_forward[0]);
    all.insert(all.end(), of_forward.begin() + static_cast<int64_t>(results), of_forward.end());
    all.insert(all.end(), gradients.begin(), gradients.end());
    return all;
  };
  std::vector<Array> got, wanted;
  for (const Array& input : inputs) got.emplace_back(dtype, input.shape());
  wanted = got;
  std::vector<Array> composed_inputs = all_inputs(outputs), own_inputs = all_inputs(expected);
  run_composed(kernel, composed_inputs, got);
  run_own(kernel, own_inputs, wanted);
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("gradient " << i);
    CHECK(difference(got[i], wanted[i]) < 10 * tolerance(dtype));
  }
}

enum class Mask { none, boolean, added };

void compare_attention(Attention kernel, const Shape& q, int64_t keys, Mask mask,
                       const Shape& mask_shape, DType dtype) {
  std::mt19937 generator(7);
  const Shape k({q[0], keys, q[2], q[3]});
  std::vector<Array> inputs = {normals(generator, dtype, q), normals(generator, dtype, k),
                               normals(generator, dtype, k)};
  kernel.mask = mask != Mask::none;
  if (mask == Mask::boolean) {
    inputs.push_back(random_array(generator, DType::boolean, mask_shape, 0, 1));
    // The first query sees no key.
    for (int64_t i = 0; i < mask_shape.back(); ++i) inputs.back().set(i, 0);
  } else if (mask == Mask::added) {
    inputs.push_back(normals(generator, dtype, mask_shape));
    for (int64_t i = 0; i < mask_shape.back(); ++i) inputs.back().set(i, -HUGE_VAL);
  }
  std::vector<Array> outputs = {Array(dtype, q), Array(dtype, {q[0], q[2], q[1]})};
  std::vector<Array> expected = outputs;
  run_composed(kernel, inputs, outputs);
  run_own(kernel, inputs, expected);
  INFO("queries " << q.str() << " keys " << keys << " mask " << static_cast<int>(mask) << " causal "
                  << kernel.causal << " " << dtype_name(dtype));
  CHECK(difference(outputs[0], expected[0]) < tolerance(dtype));
  CHECK(difference(outputs[1], expected[1]) < tolerance(dtype));

  kernel.backward = true;
  inputs.insert(inputs.end(), expected.begin(), expected.end());
  inputs.push_back(normals(generator, dtype, q));
  std::vector<Array> got = {Array(dtype, q), Array(dtype, k), Array(dtype, k)}, wanted = got;
  run_composed(kernel, inputs, got);
  run_own(kernel, inputs, wanted);
  for (size_t i = 0; i < 3; ++i) {
    INFO("gradient " << i);
    CHECK(difference(got[i], wanted[i]) < 10 * tolerance(dtype));
  }
}

}  // namespace

TEST_CASE("composed recurrent layers give the CPU's results and gradients") {
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
    for (bool bias : {true, false})
      for (bool reverse : {false, true})
        for (const RnnSizes& n : {RnnSizes{1, 1, 1, 1}, RnnSizes{2, 3, 5, 7}, RnnSizes{5, 4, 3, 16},
                                  RnnSizes{3, 6, 20, 33}})
          compare_rnn({cell, false, bias, reverse}, n, DType::float64);
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
    for (DType dtype : {DType::float16, DType::bfloat16, DType::float32})
      compare_rnn({cell}, {4, 5, 6, 20}, dtype);
}

TEST_CASE("composed recurrent layers take empty gradients as zeros, and empty sequences") {
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru}) {
    compare_rnn({cell}, {2, 3, 4, 5}, DType::float64, true);
    compare_rnn({cell}, {2, 0, 4, 5}, DType::float64);
    compare_rnn({cell}, {0, 3, 4, 5}, DType::float64);
    compare_rnn({cell}, {2, 3, 0, 5}, DType::float64);
  }
}

TEST_CASE("composed attention gives the CPU's results and gradients") {
  for (DType dtype : {DType::float64, DType::float32, DType::bfloat16})
    for (bool causal : {false, true}) {
      const Attention kernel{0.3, causal};
      compare_attention(kernel, {2, 5, 3, 4}, 7, Mask::none, {}, dtype);
      compare_attention(kernel, {2, 5, 3, 4}, 7, Mask::boolean, {2, 1, 5, 7}, dtype);
      compare_attention(kernel, {2, 5, 3, 4}, 7, Mask::boolean, {5, 7}, dtype);
      compare_attention(kernel, {2, 5, 3, 4}, 7, Mask::added, {3, 5, 7}, dtype);
      compare_attention(kernel, {2, 5, 3, 4}, 7, Mask::added, {2, 3, 5, 1}, dtype);
      compare_attention(kernel, {2, 40, 2, 16}, 33, Mask::boolean, {2, 1, 1, 33}, dtype);
    }
}

TEST_CASE("composed attention handles queries that see no key") {
  // The mask hides all keys from the first query: it gets the mean of the values.
  const DType dtype = DType::float32;
  std::mt19937 generator(3);
  std::vector<Array> inputs = {
      normals(generator, dtype, {1, 2, 1, 4}), normals(generator, dtype, {1, 3, 1, 4}),
      normals(generator, dtype, {1, 3, 1, 4}), Array(DType::boolean, {2, 3}, {0, 0, 0, 1, 0, 1})};
  std::vector<Array> outputs = {Array(dtype, {1, 2, 1, 4}), Array(dtype, {1, 1, 2})};
  run_composed(Attention{1, false, true}, inputs, outputs);
  for (int64_t i = 0; i < 4; ++i)
    CHECK(outputs[0][i] ==
          Approx((inputs[2][i] + inputs[2][4 + i] + inputs[2][8 + i]) / 3).epsilon(1e-6));
  CHECK(outputs[1][0] == -HUGE_VAL);
}

TEST_CASE("other kernels are not composed, and scratch memory is given back") {
  std::vector<Array> x = {Array(DType::float32, {4})};
  CHECK_FALSE(composed(Softmax{}, operands(x), operands(x), cpu_backend()));
  CHECK_FALSE(composed(Copy{}, operands(x), operands(x), cpu_backend()));
  const size_t live = cpu_backend().allocator().stats().live;
  compare_rnn({RnnCell::lstm}, {2, 3, 4, 5}, DType::float32);
  CHECK(cpu_backend().allocator().stats().live == live);
}

}  // namespace compositions_test
