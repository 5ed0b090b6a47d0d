// Every kind of kernel gives the same bits on any number of threads.
#include <catch.h>
#include <cornu/backend/backend.h>
#include <cornu/backend/program.h>

#include <cmath>
#include <sstream>

#include "array.h"
#include "linalg_checks.h"

namespace same_bits_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

std::mt19937& generator() {
  static std::mt19937 random(7);
  return random;
}

Array normal(const Shape& shape, DType dtype = DType::float32) {
  std::normal_distribution<double> draw;
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, draw(generator()));
  return array;
}

Array below(int64_t limit, const Shape& shape) {
  return random_array(generator(), DType::int32, shape, 0, limit - 1);
}

std::vector<Operand> operands_of(std::vector<Array>& arrays) {
  std::vector<Operand> operands;
  for (Array& array : arrays) operands.push_back(array.operand());
  return operands;
}

// The outputs of a kernel, made ready by `prepare` where there is such a thing.
std::vector<Array> outputs_of(const Kernel& kernel, std::vector<Array> inputs,
                              std::vector<Array> outputs, bool prepared) {
  const std::vector<Operand> in = operands_of(inputs), out = operands_of(outputs);
  const auto ready = prepared ? cpu_backend().prepare(kernel, in, out) : nullptr;
  if (ready == nullptr) {
    cpu_backend().run(kernel, in, out);
    return outputs;
  }
  std::vector<void*> data;
  for (const Operand& operand : in) data.push_back(operand.data);
  for (const Operand& operand : out) data.push_back(operand.data);
  ready->run(data.data());
  return outputs;
}

std::vector<Array> check_same(const Kernel& kernel, const std::vector<Array>& inputs,
                              const std::vector<Array>& outputs) {
  std::vector<Array> first;
  for (const int count : {1, 2, 3, 4, 8})
    for (const bool prepared : {false, true}) {
      const ThreadsScope scope(count);
      std::vector<Array> now = outputs_of(kernel, inputs, outputs, prepared);
      if (first.empty())
        first = std::move(now);
      else {
        INFO(kernel_name(kernel) << " of " << inputs[0].shape().str() << " on " << count
                                 << " threads" << (prepared ? ", prepared" : ""));
        CHECK(now == first);
      }
    }
  return first;
}

Array empty(const Shape& shape, DType dtype = DType::float32) { return Array(dtype, shape); }

Conv conv_of(ConvPass pass, int64_t stride, int64_t pad, int64_t groups) {
  Conv conv;
  conv.pass = pass;
  conv.strides = {stride, stride};
  conv.dilation = {1, 1};
  conv.pad_low = conv.pad_high = {pad, pad};
  conv.groups = groups;
  return conv;
}

struct ConvCase {
  int64_t batch, size, in, out, window, stride, groups, block;
};

void check_conv(const ConvCase& c) {
  const int64_t pad = c.window / 2, y_size = (c.size + 2 * pad - c.window) / c.stride + 1;
  const auto data = [&](int64_t size, int64_t channels) {
    if (c.block == 0) return Shape{c.batch, size, size, channels};
    return Shape{c.batch, channels / c.block, size, size, c.block};
  };
  const Shape x = data(c.size, c.in), y = data(y_size, c.out);
  const Shape filters{c.window, c.window, c.in / c.groups, c.out};
  for (const auto pass : {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
    Conv conv = conv_of(pass, c.stride, pad, c.groups);
    conv.block_x = conv.block_y = c.block;
    const bool forward = pass == ConvPass::forward;
    if (forward) conv.bias = conv.relu = true;
    if (pass == ConvPass::backward_weights) conv.bias = c.groups == 1;
    if (forward)
      check_same(conv, {normal(x), normal(filters), normal({c.out})}, {empty(y)});
    else if (pass == ConvPass::backward_data)
      check_same(conv, {normal(y), normal(filters)}, {empty(x)});
    else if (conv.bias)
      check_same(conv, {normal(x), normal(y)}, {empty(filters), empty({c.out})});
    else
      check_same(conv, {normal(x), normal(y)}, {empty(filters)});
  }
}

}  // namespace

TEST_CASE("products have the same bits on any number of threads") {
  struct Sizes {
    int64_t m, n, k;
  };
  for (const Sizes s : {Sizes{128, 512, 784},
                        {97, 131, 777},
                        {64, 64, 9000},
                        {2000, 16, 40},
                        {256, 1024, 600},
                        {33, 2000, 300},
                        {1, 900, 1200},
                        {3, 5000, 90},
                        {8, 301, 515},
                        {50, 48, 47}})
    for (const bool a : {false, true})
      for (const bool b : {false, true}) {
        Matmul product;
        product.transpose_a = a;
        product.transpose_b = b;
        product.bias = product.relu = a == b;
        std::vector<Array> inputs{normal(a ? Shape{s.k, s.m} : Shape{s.m, s.k}),
                                  normal(b ? Shape{s.n, s.k} : Shape{s.k, s.n})};
        if (product.bias) inputs.push_back(normal({s.n}));
        check_same(product, inputs, {empty({s.m, s.n})});
      }
  check_same(Matmul{}, {normal({5, 70, 90}), normal({5, 90, 60})}, {empty({5, 70, 60})});
  check_same(Matmul{}, {normal({300, 200}, DType::float64), normal({200, 150}, DType::float64)},
             {empty({300, 150}, DType::float64)});
}

TEST_CASE("convolutions have the same bits on any number of threads") {
  const int64_t block = cpu_backend().channel_block();
  for (const ConvCase& c : {ConvCase{8, 14, 32, 48, 3, 2, 1, 0},
                            {1, 28, 32, 96, 1, 1, 1, 0},
                            {17, 9, 24, 24, 3, 1, 24, 0},
                            {2, 20, 16, 16, 3, 1, 16, 0},
                            {16, 7, 160, 320, 1, 1, 1, 0},
                            {16, 7, 320, 160, 1, 1, 1, 0},
                            {4, 30, 3, 32, 3, 2, 1, 0},
                            {12, 16, 16, 32, 5, 1, 2, 0},
                            {1, 12, 64, 128, 5, 1, 1, 0}})
    check_conv(c);
  if (block == 0) return;
  for (const ConvCase& c : {ConvCase{16, 14, 64, 64, 3, 1, 1, block},
                            {1, 28, 64, 128, 1, 1, 1, block},
                            {8, 7, 256, 512, 1, 1, 1, block},
                            {1, 7, 128, 128, 3, 1, 1, block},
                            {3, 14, 128, 256, 3, 2, 1, block},
                            {5, 10, 32, 32, 3, 1, 1, block}})
    check_conv(c);
}

TEST_CASE("sums have the same bits on any number of threads") {
  const auto reduce = [](const Shape& shape, std::vector<int> axes, ReduceOp op, const Shape& out) {
    Reduce sum;
    sum.program = program_of(Opcode::square);
    sum.shape = shape;
    sum.op = op;
    for (const int axis : axes) sum.axes.push_back(axis);
    const bool index = op == ReduceOp::argmax;
    check_same(sum, {normal(shape)}, {empty(out, index ? DType::int32 : DType::float32)});
  };
  reduce({3000, 700}, {0, 1}, ReduceOp::sum, {});
  reduce({3000, 700}, {0}, ReduceOp::sum, {700});
  reduce({3000, 700}, {1}, ReduceOp::sum, {3000});
  reduce({9000, 20}, {0}, ReduceOp::sum, {20});
  reduce({3, 200000}, {1}, ReduceOp::product, {3});
  reduce({20, 90, 300}, {0, 2}, ReduceOp::sum, {90});
  reduce({300000}, {0}, ReduceOp::argmax, {});
  reduce({40, 900, 30}, {1}, ReduceOp::argmax, {40, 30});
}

TEST_CASE("normalization has the same bits on any number of threads") {
  for (const bool channels : {true, false})
    for (const Shape& shape :
         {Shape{32, 20, 20, 48}, Shape{4000, 64}, Shape{300, 700}, Shape{70000, 3}}) {
      const int64_t c = shape.back();
      const Shape moments = channels ? Shape{c} : shape.slice(0, shape.rank() - 1);
      Normalize forward;
      forward.channels = channels;
      const Array x = normal(shape);
      const std::vector<Array> y = check_same(forward, {x, normal({c}), normal({c})},
                                              {empty(shape), empty(moments), empty(moments)});
      Normalize backward = forward;
      backward.backward = true;
      check_same(backward, {x, y[1], y[2], normal(shape), normal({c})},
                 {empty(shape), empty({c}), empty({c})});
    }
}

TEST_CASE("recurrent layers have the same bits on any number of threads") {
  const int64_t batch = 21, time = 9, in = 20, units = 37;
  for (const RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru}) {
    const int64_t g = cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1;
    const bool lstm = cell == RnnCell::lstm, gated = cell != RnnCell::simple;
    const Shape bias = cell == RnnCell::gru ? Shape{2, g * units} : Shape{g * units};
    const Shape state{batch, units}, sequence{batch, time, units};
    Rnn rnn;
    rnn.cell = cell;
    std::vector<Array> inputs{normal({batch, time, in}), normal({in, g * units}),
                              normal({units, g * units}), normal(bias), normal(state)};
    std::vector<Array> outputs{empty(sequence), empty(state)};
    if (lstm) inputs.push_back(normal(state)), outputs.push_back(empty(state));
    if (gated) {
      outputs.push_back(empty({time, batch, g * units}));
      outputs.push_back(empty({time, batch, units}));
    }
    const std::vector<Array> y = check_same(rnn, inputs, outputs);
    rnn.backward = true;
    std::vector<Array> gradients;
    for (const Array& input : inputs) gradients.push_back(empty(input.shape()));
    inputs.push_back(y[0]);
    if (gated) inputs.insert(inputs.end(), y.end() - 2, y.end());
    inputs.push_back(normal(sequence));
    inputs.push_back(normal(state));
    if (lstm) inputs.push_back(normal(state));
    check_same(rnn, inputs, gradients);
  }
}

TEST_CASE("attention has the same bits on any number of threads") {
  for (const bool causal : {false, true}) {
    const Shape shape{3, 90, 5, 24}, sums{3, 5, 90};
    Attention attention;
    const Shape one{3, 1, 20, 64}, many{3, 700, 20, 64};
    check_same(attention, {normal(one), normal(many), normal(many)},
               {empty(one), empty({3, 20, 1})});
    attention.scale = 0.2;
    attention.causal = causal;
    const std::vector<Array> inputs{normal(shape), normal(shape), normal(shape)};
    const std::vector<Array> y = check_same(attention, inputs, {empty(shape), empty(sums)});
    attention.backward = true;
    check_same(attention, {inputs[0], inputs[1], inputs[2], y[0], y[1], normal(shape)},
               {empty(shape), empty(shape), empty(shape)});
  }
}

TEST_CASE("decompositions have the same bits on any number of threads") {
  for (const LinalgCase& c : linalg_cases())
    check_same(c.kernel, c.inputs, linalg_outputs(c.kernel, c.inputs));
  // Large enough that LAPACK would share the work out.
  for (const DType dtype : {DType::float32, DType::float64})
    for (const LinalgOp op : {LinalgOp::lu, LinalgOp::qr, LinalgOp::eigh, LinalgOp::svd,
                              LinalgOp::cholesky, LinalgOp::solve}) {
      Linalg kernel;
      kernel.op = op;
      std::vector<Array> inputs{random_matrices(generator(), dtype, {2, 260, 260}, 270)};
      if (op == LinalgOp::solve) inputs.push_back(normal({2, 260, 150}, dtype));
      check_same(kernel, inputs, linalg_outputs(kernel, inputs));
    }
}

TEST_CASE("the other kernels have the same bits on any number of threads") {
  check_same(Softmax{}, {normal({700, 333})}, {empty({700, 333})});
  for (const bool along : {false, true}) {
    Scatter scatter;
    scatter.op = ScatterOp::add;
    scatter.along = along;
    const Shape updates{9000, 40};
    check_same(scatter,
               {normal({50, 40}), below(50, along ? updates : Shape{9000}), normal(updates)},
               {empty({50, 40})});
  }
  check_same(Gather{}, {normal({50, 40}), below(50, {9000})}, {empty({9000, 40})});
  Cumulative cumulative;
  check_same(cumulative, {normal({300, 500})}, {empty({300, 500})});
  cumulative.axis = 1;
  check_same(cumulative, {normal({300, 500})}, {empty({300, 500})});
  Sort sort;
  sort.count = 100;
  check_same(sort, {normal({200, 900})}, {empty({200, 100}), empty({200, 100}, DType::int32)});
  for (const int64_t n : {1000, 1021, 64})
    check_same(Fft{}, {normal({400, n})}, {empty({400, n}), empty({400, n})});
  for (const auto distribution : {Distribution::normal, Distribution::uniform})
    check_same(Random{distribution}, {Array(DType::uint32, {2}, {3, 4})}, {empty({100001})});
  for (const bool maximum : {false, true})
    for (const int64_t batch : {3, 20}) {
      Pool pool;
      pool.maximum = maximum;
      pool.window = {3, 3};
      pool.strides = {2, 2};
      pool.pad_low = pool.pad_high = {1, 1};
      const Shape shape{batch, 30, 30, 40}, pooled{batch, 15, 15, 40};
      const Array x = normal(shape);
      const std::vector<Array> y = check_same(pool, {x}, {empty(pooled)});
      pool.backward = true;
      check_same(pool, {x, y[0], normal(pooled)}, {empty(shape)});
    }
  check_same(Fused{program_of(Opcode::tanh), DType::float32}, {normal({100003})},
             {empty({100003})});
}

}  // namespace same_bits_test
