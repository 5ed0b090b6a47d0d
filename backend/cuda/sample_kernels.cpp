// The list of kernels.
#include "sample_kernels.h"

#include <cmath>
#include <utility>

namespace cornu::backend::cuda {
namespace {

using Arrays = std::vector<SampleKernel::Array>;

class Samples {
 public:
  void add(const std::string& form, DType dtype, Kernel kernel, Arrays inputs, Arrays outputs) {
    std::string name = kernel_name(kernel);
    if (!form.empty()) name += " " + form;
    name += " " + std::string(dtype_name(dtype));
    all.push_back({std::move(name), std::move(kernel), std::move(inputs), std::move(outputs)});
  }
  std::vector<SampleKernel> all;
};

Kernel program(bool two_inputs) {
  ProgramBuilder builder(two_inputs ? 2 : 1);
  Expr result = builder.input(0) * 0.5;
  if (two_inputs) result = result + builder.input(1);
  return Fused{builder.finish({expr::relu(result)})};
}

void add_products(Samples& samples, DType dtype) {
  const Shape a{512, 256}, b{256, 384}, c{512, 384};
  samples.add("", dtype, Matmul{}, {{dtype, a}, {dtype, b}}, {{dtype, c}});
  samples.add("bias relu", dtype, Matmul{.bias = true, .relu = true},
              {{dtype, a}, {dtype, b}, {dtype, {384}}}, {{dtype, c}});
  samples.add("batch", dtype, Matmul{.transpose_b = true},
              {{dtype, {8, 64, 32}}, {dtype, {8, 64, 32}}}, {{dtype, {8, 64, 64}}});
}

void add_convolutions(Samples& samples, DType dtype) {
  Conv conv;
  conv.strides = conv.dilation = conv.pad_low = conv.pad_high = {1, 1};
  const Shape x{4, 14, 14, 32}, kernel{3, 3, 32, 64}, y{4, 14, 14, 64};
  Conv forward = conv;
  forward.bias = forward.relu = true;
  samples.add("bias relu", dtype, forward, {{dtype, x}, {dtype, kernel}, {dtype, {64}}},
              {{dtype, y}});
  conv.pass = ConvPass::backward_data;
  samples.add("backward_data", dtype, conv, {{dtype, y}, {dtype, kernel}}, {{dtype, x}});
  conv.pass = ConvPass::backward_weights;
  samples.add("backward_weights", dtype, conv, {{dtype, x}, {dtype, y}}, {{dtype, kernel}});
  Conv depthwise = conv;
  depthwise.pass = ConvPass::forward;
  depthwise.groups = 32;
  samples.add("depthwise", dtype, depthwise, {{dtype, x}, {dtype, {3, 3, 1, 32}}}, {{dtype, x}});
}

void add_attention(Samples& samples, DType dtype) {
  const Shape q{2, 256, 4, 64}, rows{2, 4, 256};
  const SampleKernel::Array one{dtype, q}, sums{DType::float32, rows};
  const SampleKernel::Array half{dtype, {2, 256, 2, 64}};
  for (const bool causal : {false, true}) {
    Attention attention{.scale = 0.125, .causal = causal};
    const std::string form = causal ? "causal " : "";
    samples.add(form + "forward", dtype, attention, {one, one, one}, {one, sums});
    attention.backward = true;
    samples.add(form + "backward", dtype, attention, {one, one, one, one, sums, one},
                {one, one, one});
    if (size_of(dtype) > 2) continue;  // see CudaBackend::groups_heads
    samples.add(form + "backward, shared heads", dtype, attention,
                {one, half, half, one, sums, one}, {one, half, half});
    attention.backward = false;
    samples.add(form + "forward, shared heads", dtype, attention, {one, half, half}, {one, sums});
  }
}

void add_recurrent(Samples& samples, DType dtype, RnnCell cell, const std::string& name,
                   int64_t gates) {
  const int64_t batch = 8, time = 12, features = 32, units = 64;
  const bool lstm = cell == RnnCell::lstm, simple = cell == RnnCell::simple;
  const SampleKernel::Array x{dtype, {batch, time, features}},
      kernel{dtype, {features, gates * units}}, recurrent{dtype, {units, gates * units}},
      bias{dtype, cell == RnnCell::gru ? Shape{2, gates * units} : Shape{gates * units}},
      state{dtype, {batch, units}}, y{dtype, {batch, time, units}},
      kept{dtype, {time, batch, gates * units}}, extra{dtype, {time, batch, units}};
  Rnn rnn{.cell = cell};
  Arrays inputs{x, kernel, recurrent, bias, state}, outputs{y, state};
  if (lstm) {
    inputs.push_back(state);
    outputs.push_back(state);
  }
  Arrays forward = outputs, backward = inputs;
  backward.push_back(y);
  if (!simple)
    for (Arrays* list : {&forward, &backward}) {
      list->push_back(kept);
      list->push_back(extra);
    }
  samples.add(name + " forward", dtype, rnn, inputs, forward);
  rnn.backward = true;
  for (const SampleKernel::Array& gradient : outputs) backward.push_back(gradient);
  samples.add(name + " backward", dtype, rnn, backward, inputs);
}

void add_normalizations(Samples& samples, DType dtype) {
  const Shape x{32, 8, 8, 64}, rows{32, 8, 8};
  for (const bool channels : {true, false}) {
    const SampleKernel::Array moment{DType::float32, channels ? Shape{64} : rows};
    const SampleKernel::Array one{dtype, x}, factors{dtype, {64}};
    Normalize normalize{.channels = channels};
    const std::string form = channels ? "channels" : "rows";
    samples.add(form, dtype, normalize, {one, factors, factors}, {one, moment, moment});
    normalize.backward = true;
    samples.add(form + " backward", dtype, normalize, {one, moment, moment, one, factors},
                {one, factors, factors});
  }
}

void add_decompositions(Samples& samples, DType dtype) {
  const Shape a{2, 24, 24};
  const SampleKernel::Array one{dtype, a}, values{dtype, {2, 24}};
  samples.add("cholesky", dtype, Linalg{LinalgOp::cholesky}, {one}, {one});
  samples.add("lu", dtype, Linalg{LinalgOp::lu}, {one}, {one, {DType::int32, {2, 24}}});
  samples.add("qr", dtype, Linalg{LinalgOp::qr}, {one}, {one, one});
  samples.add("eigh", dtype, Linalg{LinalgOp::eigh}, {one}, {values, one});
  samples.add("svd", dtype, Linalg{LinalgOp::svd}, {one}, {one, values, one});
  samples.add("solve", dtype, Linalg{LinalgOp::solve}, {one, one}, {one});
  samples.add("solve_triangular", dtype, Linalg{LinalgOp::solve_triangular}, {one, one}, {one});
}

void add_others(Samples& samples) {
  constexpr DType f = DType::float32, i = DType::int32;
  const SampleKernel::Array x{f, {64, 1000}}, row{f, {64}};
  samples.add("", f, program(true), {x, x}, {x});
  samples.add("", f, MultiTensorFused{std::get<Fused>(program(true)), 2}, {x, x, row, row},
              {x, row});
  Reduce reduce;
  reduce.program = std::get<Fused>(program(false)).program;
  reduce.axes = {1};
  reduce.shape = x.shape;
  samples.add("sum", f, reduce, {x}, {row});
  samples.add("", f, Softmax{}, {x}, {x});
  samples.add("transpose", f,
              Copy{{{Shape{1000, 64}, {0, {1, 1000}}, {0, {64, 1}}}}, Shape{1000, 64}}, {x},
              {{f, {1000, 64}}});
  samples.add("", f, Gather{}, {x, {i, {7}}}, {{f, {7, 1000}}});
  samples.add("add", f, Scatter{}, {x, {i, {7}}, {f, {7, 1000}}}, {x});
  samples.add("", f, Sort{false, 1000}, {x}, {x, {i, {64, 1000}}});
  samples.add("", f, Cumulative{1}, {x}, {x});
  samples.add("normal", f, Random{Distribution::normal}, {{DType::uint32, {2}}}, {x});
  Pool pool;
  pool.window = pool.strides = {2, 2};
  const SampleKernel::Array image{f, {4, 16, 16, 8}}, half{f, {4, 8, 8, 8}};
  samples.add("max", f, pool, {image}, {half});
  Pool backward = pool;
  backward.backward = true;
  samples.add("max backward", f, backward, {image, half, half}, {image});
  samples.add("", f, Fft{}, {x}, {{f, {64, 501}}, {f, {64, 501}}});
  samples.add("int8", DType::int32, Matmul{}, {{DType::int8, {64, 64}}, {DType::int8, {64, 64}}},
              {{i, {64, 64}}});
}

// What devices since 8.9 multiply.
void add_float8(Samples& samples) {
  const Shape shape{256, 256};
  constexpr DType e4m3 = DType::float8_e4m3fn, e5m2 = DType::float8_e5m2;
  const SampleKernel::Array factor{DType::uint8, shape}, sums{DType::float32, shape};
  samples.add("float8", DType::float32, Matmul{.float8_a = e4m3, .float8_b = e4m3},
              {factor, factor}, {sums});
  samples.add("float8 gradient", DType::float32,
              Matmul{.transpose_b = true, .float8_a = e5m2, .float8_b = e4m3}, {factor, factor},
              {sums});
}

}  // namespace

std::vector<SampleKernel> sample_kernels() {
  Samples samples;
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16, DType::float64}) {
    add_products(samples, dtype);
    add_convolutions(samples, dtype);
  }
  for (const DType dtype : {DType::bfloat16, DType::float16, DType::float32})
    add_attention(samples, dtype);
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add_recurrent(samples, dtype, RnnCell::lstm, "lstm", 4);
    add_recurrent(samples, dtype, RnnCell::gru, "gru", 3);
    add_recurrent(samples, dtype, RnnCell::simple, "simple", 1);
    add_normalizations(samples, dtype);
  }
  add_decompositions(samples, DType::float32);
  add_others(samples);
  add_float8(samples);
  return std::move(samples.all);
}

}  // namespace cornu::backend::cuda
