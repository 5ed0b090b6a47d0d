// The Rnn kernel: forward against the formulas, backward against finite differences.
#include <cornu/backend/optional_kernels.h>

#include <cmath>

#include "array.h"
#include "catch.h"

namespace rnn_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

int64_t gates_of(RnnCell cell) { return cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1; }

struct Sizes {
  int64_t batch, time, features, units;
};

// Operands and results of both passes.
struct Problem {
  Rnn kernel;
  Sizes n;
  DType dtype;
  std::vector<Array> inputs, outputs, output_gradients, input_gradients;

  Problem(const Rnn& k, const Sizes& sizes, DType type) : kernel(k), n(sizes), dtype(type) {
    const int64_t g = gates_of(k.cell);
    const Shape state{n.batch, n.units};
    std::vector<Shape> shapes{
        {n.batch, n.time, n.features}, {n.features, g * n.units}, {n.units, g * n.units}};
    if (k.bias)
      shapes.push_back(k.cell == RnnCell::gru ? Shape{2, g * n.units} : Shape{g * n.units});
    for (int i = 0; i < states(); ++i) shapes.push_back(state);
    std::mt19937 generator(11);
    std::normal_distribution<double> normal(0, 0.7);
    auto add = [&](std::vector<Array>& to, const Shape& shape) {
      to.emplace_back(dtype, shape);
      for (int64_t i = 0; i < shape.numel(); ++i) to.back().set(i, normal(generator));
    };
    for (const Shape& shape : shapes) add(inputs, shape);
    outputs.emplace_back(dtype, Shape{n.batch, n.time, n.units});
    for (int i = 0; i < states(); ++i) outputs.emplace_back(dtype, state);
    for (const Array& output : outputs) add(output_gradients, output.shape());
    if (k.cell != RnnCell::simple) {
      outputs.emplace_back(dtype, Shape{n.time, n.batch, g * n.units});
      outputs.emplace_back(dtype, Shape{n.time, n.batch, n.units});
    }
  }

  int states() const { return kernel.cell == RnnCell::lstm ? 2 : 1; }

  void forward() {
    use_rnn_kernel();
    std::vector<Array*> in, out;
    for (Array& a : inputs) in.push_back(&a);
    for (Array& a : outputs) out.push_back(&a);
    run(kernel, in, out);
  }
  // With gradients of the outputs other than output_gradients.
  void backward(std::vector<Array>& gradients) {
    Rnn k = kernel;
    k.backward = true;
    std::vector<Array*> in, out;
    for (Array& a : inputs) in.push_back(&a);
    in.push_back(&outputs[0]);
    for (size_t i = static_cast<size_t>(states()) + 1; i < outputs.size(); ++i)
      in.push_back(&outputs[i]);
    for (Array& a : gradients) in.push_back(&a);
    input_gradients.clear();
    for (const Array& a : inputs) input_gradients.emplace_back(dtype, a.shape());
    for (Array& a : input_gradients) out.push_back(&a);
    run(k, in, out);
  }
  void backward() { backward(output_gradients); }

  // What the gradients differentiate.
  double loss() {
    forward();
    double sum = 0;
    for (size_t o = 0; o < output_gradients.size(); ++o)
      for (int64_t i = 0; i < outputs[o].numel(); ++i)
        sum += outputs[o][i] * output_gradients[o][i];
    return sum;
  }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// y, h and c by the formulas of kernel.h.
std::vector<std::vector<double>> expected_outputs(const Problem& p) {
  const auto [batch, time, features, units] = p.n;
  const int64_t g = gates_of(p.kernel.cell), columns = g * units;
  const size_t first_state = p.kernel.bias ? 4 : 3;
  std::vector<double> y(static_cast<size_t>(batch * time * units));
  std::vector<double> h = p.inputs[first_state].values();
  std::vector<double> c = p.states() == 2 ? p.inputs[first_state + 1].values() : h;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < time; ++t) {
      const int64_t at = p.kernel.reverse ? time - 1 - t : t;
      std::vector<double> from_x(static_cast<size_t>(columns)), from_h(from_x);
      for (int64_t j = 0; j < columns; ++j) {
        const auto J = static_cast<size_t>(j);
        if (p.kernel.bias) from_x[J] = p.inputs[3][j];
        if (p.kernel.bias && p.kernel.cell == RnnCell::gru) from_h[J] = p.inputs[3][columns + j];
        for (int64_t i = 0; i < features; ++i)
          from_x[J] += p.inputs[0][(b * time + at) * features + i] * p.inputs[1][i * columns + j];
        for (int64_t i = 0; i < units; ++i)
          from_h[J] += h[static_cast<size_t>(b * units + i)] * p.inputs[2][i * columns + j];
      }
      for (int64_t u = 0; u < units; ++u) {
        const auto at_gate = [&](int64_t gate) { return static_cast<size_t>(gate * units + u); };
        const auto z = [&](int64_t gate) { return from_x[at_gate(gate)] + from_h[at_gate(gate)]; };
        const auto place = static_cast<size_t>(b * units + u);
        if (p.kernel.cell == RnnCell::lstm) {
          c[place] = sigmoid(z(1)) * c[place] + sigmoid(z(0)) * std::tanh(z(2));
          h[place] = sigmoid(z(3)) * std::tanh(c[place]);
        } else if (p.kernel.cell == RnnCell::gru) {
          const double candidate =
              std::tanh(from_x[at_gate(2)] + sigmoid(z(1)) * from_h[at_gate(2)]);
          h[place] = sigmoid(z(0)) * h[place] + (1 - sigmoid(z(0))) * candidate;
        } else {
          h[place] = std::tanh(z(0));
        }
        y[static_cast<size_t>((b * time + t) * units + u)] = h[place];
      }
    }
  return {y, h, c};
}

double difference(const Array& a, const std::vector<double>& b) {
  REQUIRE(static_cast<size_t>(a.numel()) == b.size());
  double worst = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    const double expected = b[static_cast<size_t>(i)];
    const double error = std::fabs(a[i] - expected) / (1 + std::fabs(expected));
    worst = error <= worst ? worst : error;  // NaN counts
  }
  return worst;
}

std::vector<Rnn> all_kernels() {
  std::vector<Rnn> kernels;
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
    for (bool bias : {true, false})
      for (bool reverse : {true, false})
        kernels.push_back({.cell = cell, .bias = bias, .reverse = reverse});
  return kernels;
}

}  // namespace

TEST_CASE("recurrent kernels compute their formulas") {
  for (const Rnn& kernel : all_kernels())
    for (const Sizes& n : {Sizes{1, 1, 1, 1}, Sizes{3, 4, 1, 5}, Sizes{7, 2, 20, 16},
                           Sizes{2, 3, 5, 33}, Sizes{19, 3, 40, 70}})
      for (DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
        Problem p(kernel, n, dtype);
        p.forward();
        const double tolerance = dtype == DType::float64   ? 1e-13
                                 : dtype == DType::float32 ? 2e-5
                                                           : 1e-2;
        INFO("cell " << static_cast<int>(kernel.cell) << " units " << n.units << " "
                     << dtype_name(dtype));
        const auto expected = expected_outputs(p);
        for (size_t i = 0; i <= static_cast<size_t>(p.states()); ++i)
          CHECK(difference(p.outputs[i], expected[i]) < tolerance);
      }
}

TEST_CASE("gradients of recurrent kernels agree with finite differences") {
  for (const Rnn& kernel : all_kernels())
    for (const Sizes& n : {Sizes{1, 1, 1, 1}, Sizes{2, 3, 2, 3}, Sizes{3, 2, 17, 9}}) {
      Problem p(kernel, n, DType::float64);
      p.forward();
      p.backward();
      for (size_t k = 0; k < p.inputs.size(); ++k) {
        std::vector<double> expected;
        for (int64_t i = 0; i < p.inputs[k].numel(); ++i) {
          const double x = p.inputs[k][i], step = 1e-5;
          p.inputs[k].set(i, x + step);
          const double above = p.loss();
          p.inputs[k].set(i, x - step);
          const double below = p.loss();
          p.inputs[k].set(i, x);
          expected.push_back((above - below) / (2 * step));
        }
        INFO("cell " << static_cast<int>(kernel.cell) << " input " << k << " bias " << kernel.bias
                     << " reverse " << kernel.reverse << " units " << n.units);
        CHECK(difference(p.input_gradients[k], expected) < 1e-8);
      }
    }
}

TEST_CASE("float32 gradients of recurrent kernels agree with those in float64") {
  for (const Rnn& kernel : all_kernels())
    for (const Sizes& n : {Sizes{33, 5, 40, 70}, Sizes{5, 80, 16, 32}}) {
      Problem narrow(kernel, n, DType::float32), wide(kernel, n, DType::float64);
      // The same numbers in both.
      for (size_t k = 0; k < wide.inputs.size(); ++k)
        for (int64_t i = 0; i < wide.inputs[k].numel(); ++i) {
          wide.inputs[k].set(i, wide.inputs[k][i] / 4);
          narrow.inputs[k].set(i, wide.inputs[k][i]);
        }
      narrow.forward();
      wide.forward();
      narrow.backward();
      wide.backward();
      for (size_t k = 0; k < wide.inputs.size(); ++k) {
        INFO("cell " << static_cast<int>(kernel.cell) << " input " << k);
        CHECK(difference(narrow.input_gradients[k], wide.input_gradients[k].values()) < 1e-4);
      }
    }
}

TEST_CASE("empty gradients of a recurrent kernel count as zeros") {
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru}) {
    Problem p({.cell = cell}, {3, 4, 5, 6}, DType::float32);
    p.forward();
    std::vector<Array> zeros, empty;
    for (const Array& a : p.output_gradients) zeros.emplace_back(DType::float32, a.shape());
    for (size_t i = 0; i < zeros.size(); ++i) empty.emplace_back(DType::float32, Shape{0});
    zeros[1] = empty[1] = p.output_gradients[1];
    p.backward(zeros);
    const std::vector<Array> expected = p.input_gradients;
    p.backward(empty);
    CHECK(p.input_gradients == expected);
  }
}

TEST_CASE("recurrent kernels give the same bits for any number of threads") {
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru}) {
    Problem p({.cell = cell}, {13, 6, 40, 50}, DType::float32);
    std::vector<Array> outputs, gradients;
    for (int count : {1, 2, 5}) {
      const ThreadsScope scope(count);
      p.forward();
      p.backward();
      if (count == 1) {
        outputs = p.outputs;
        gradients = p.input_gradients;
      }
      CHECK(p.outputs == outputs);
      CHECK(p.input_gradients == gradients);
    }
  }
}

TEST_CASE("gates of recurrent kernels saturate, and pass on what is not a number") {
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru}) {
    Problem p({.cell = cell}, {2, 2, 3, 4}, DType::float32);
    for (int64_t i = 0; i < p.inputs[0].numel(); ++i) p.inputs[0].set(i, i % 2 ? 1e30 : -1e30);
    p.forward();
    p.backward();
    for (const double value : p.outputs[1].values()) CHECK(std::fabs(value) <= 1.0001);
    for (const double value : p.input_gradients[0].values()) CHECK(std::isfinite(value));
    p.inputs[0].set(0, std::numeric_limits<double>::infinity());
    p.forward();
    for (const double value : p.outputs[1].values()) CHECK(std::isfinite(value));
    p.inputs[0].set(0, std::nan(""));
    p.forward();
    CHECK(std::isnan(p.outputs[1][0]));
    CHECK(std::isfinite(p.outputs[1][4]));
  }
}

}  // namespace rnn_test
