// Single kernels of sizes that fill a GPU: products, attention, elementwise programs, and copies,
// which tell what its memory can do.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/nn/attention.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/products.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/draws.h>

#include "workloads.h"

namespace cornu::bench {
namespace {

// Normal numbers: products of zeros run faster than others.
Tensor numbers(const Shape& shape, DType dtype, int seed) {
  return ops::cast(random::normal(shape, 0, 1, seed), dtype);
}

void measure_product(DType dtype, Report& report, const Effort& effort) {
  constexpr int64_t n = 8192;
  const Tensor a = numbers({n, n}, dtype, 1), b = numbers({n, n}, dtype, 2);
  report.rate("matmul_8192", calibrated([&] { ops::matmul(a, b); }, effort),
              2.0 * static_cast<double>(n * n * n) * 1e-12, "TFLOP/s");
}

// A factor that does not change, as weights, which a plan keeps in the form that kernels take.
void measure_int8(Report& report, const Effort& effort) {
  constexpr int64_t n = 8192;
  const auto integers = [](int seed) {
    return ops::cast(random::uniform({n, n}, -127, 127, seed), DType::int8);
  };
  const Variable weights(integers(2), {.trainable = false});
  Function product([&](const Nest& x) -> Nest { return ops::matmul(x.tensor(), weights.value()); });
  const Nest x(integers(1));
  report.rate("matmul_8192", calibrated([&] { product(x); }, effort),
              2.0 * static_cast<double>(n * n * n) * 1e-12, "TOP/s");
}

// Beside a layer in bfloat16, with what it takes to round operands and to follow their maxima.
void measure_float8(Report& report, const Effort& effort) {
  constexpr int64_t n = 8192;
  constexpr double product_size = 2.0 * static_cast<double>(n * n * n) * 1e-12;
  const Variable weights(numbers({n, n}, DType::float8_e4m3fn, 2), {.trainable = false});
  Function product([&](const Nest& x) -> Nest { return ops::matmul(x.tensor(), weights.value()); });
  const Nest x(numbers({n, n}, DType::float8_e4m3fn, 1));
  report.rate("matmul_8192", calibrated([&] { product(x); }, effort), product_size, "TFLOP/s");

  const Tensor batch = numbers({n, n}, DType::bfloat16, 3);
  for (const bool narrow : {false, true}) {
    layers::Dense dense({.units = n, .dtype = "mixed_bfloat16"});
    dense(batch);
    if (narrow) dense->quantize("float8");
    Function train([&](const Nest& x) -> Nest {
      GradientTape tape;
      tape.watch(x.tensor());
      std::vector<Tensor> sources{x.tensor()};
      for (const Variable& v : dense->trainable_variables()) sources.push_back(v);
      const Tensor y = dense(x.tensor(), {.training = true});
      std::vector<Tensor> results = tape.gradient({y}, sources, {x.tensor()});
      results.push_back(y);
      return results;
    });
    report.rate(narrow ? "dense_training" : "dense_training_bfloat16",
                calibrated([&] { train(Nest(batch)); }, effort), 3 * product_size, "TFLOP/s");
  }
}

// Causal: half of all pairs of tokens count. The gradient takes five products where the result
// takes two.
void measure_attention(DType dtype, Report& report, const Effort& effort) {
  constexpr int64_t batch = 8, tokens = 2048, heads = 16, depth = 128;
  const Shape shape({batch, tokens, heads, depth});
  const Tensor q = numbers(shape, dtype, 1), k = numbers(shape, dtype, 2),
               v = numbers(shape, dtype, 3);
  const double product = static_cast<double>(batch * heads * tokens * tokens * depth) * 1e-12;
  const auto attend = [&] { return ops::dot_product_attention(q, k, v, {.is_causal = true}); };
  report.rate("attention", calibrated([&] { attend(); }, effort), 2 * product, "TFLOP/s");

  Function train([](const Nest& arguments) -> Nest {
    const std::vector<Tensor> x = arguments.flatten();
    GradientTape tape;
    for (const Tensor& each : x) tape.watch(each);
    const Tensor y = ops::dot_product_attention(x[0], x[1], x[2], {.is_causal = true});
    return tape.gradient({y}, x, {ops::ones_like(y)});
  });
  const Nest arguments(std::vector<Tensor>{q, k, v});
  report.rate("attention_training", calibrated([&] { train(arguments); }, effort), 7 * product,
              "TFLOP/s");
}

void measure_traffic(DType dtype, Report& report, const Effort& effort) {
  constexpr int64_t count = int64_t{1} << 27;
  const Tensor x = numbers({count}, dtype, 1), y = numbers({count}, dtype, 2);
  const double array = static_cast<double>(count) * static_cast<double>(size_of(dtype)) * 1e-9;
  const Device device = default_device();
  const Tensor to = ops::zeros_like(x);
  const auto copy = [&] {
    device.backend().copy(to.data(), x.data(), static_cast<size_t>(count) * size_of(dtype));
  };
  report.rate("copy", calibrated(copy, effort), 2 * array, "GB/s");
  Function program([](const Nest& arguments) -> Nest {
    const std::vector<Tensor> x = arguments.flatten();
    return ops::relu(x[0] * 0.5 + x[1]);
  });
  const Nest arguments(std::vector<Tensor>{x, y});
  report.rate("elementwise", calibrated([&] { program(arguments); }, effort), 3 * array, "GB/s");
}

}  // namespace

void measure_kernels(const Workload& workload, const std::string& mode, const Settings& settings) {
  Report report(workload.name, mode, 1);
  if (mode == "int8") return measure_int8(report, settings.effort);
  if (mode == "float8") return measure_float8(report, settings.effort);
  const DType dtype = mode == "float32" ? DType::float32 : DType::bfloat16;
  measure_traffic(dtype, report, settings.effort);
  measure_product(dtype, report, settings.effort);
  if (dtype != DType::float32) measure_attention(dtype, report, settings.effort);
}

}  // namespace cornu::bench
