// Kernels on every GPU of this machine against the CPU. Without one the tests say so and pass.
#include <cornu/backend/compositions.h>
#include <cornu/backend/error.h>

#include <cmath>

#include "../linalg_checks.h"
#include "catch.h"
#include "codegen_cases.h"
#include "gpu_runs.h"
#include "kernel_cases.h"

namespace gpu_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

Array numbers(std::mt19937& random, DType dtype, const Shape& shape) {
  return random_array(random, dtype, shape, -3, 3);
}

// Then all results are NaN too, which relu must not hide.
CodegenCase all_nan(CodegenCase c) {
  c.name += ", NaN";
  for (int64_t i = 0; i < c.inputs[0].numel(); ++i) c.inputs[0].set(i, std::nan(""));
  return c;
}

Conv conv_of(ConvPass pass, InlineVector<int64_t, 3> strides, InlineVector<int64_t, 3> dilation,
             InlineVector<int64_t, 3> low, InlineVector<int64_t, 3> high, int64_t groups) {
  Conv conv;
  conv.pass = pass;
  conv.strides = strides;
  conv.dilation = dilation;
  conv.pad_low = low;
  conv.pad_high = high;
  conv.groups = groups;
  return conv;
}

std::vector<CodegenCase> products() {
  std::mt19937 random(3);
  std::vector<CodegenCase> cases;
  const auto add_mixed = [&](DType a_type, DType b_type, DType result, Matmul kernel,
                             const Shape& a, const Shape& b, const Shape& out) {
    CodegenCase c = case_of(
        "matmul " + std::string(dtype_name(a_type)) + " " + std::string(dtype_name(b_type)) +
            " to " + std::string(dtype_name(result)) + " " + a.str() + " " + b.str(),
        kernel, {numbers(random, a_type, a), numbers(random, b_type, b)}, {Array(result, out)});
    if (kernel.bias) c.inputs.push_back(numbers(random, result, {out.back()}));
    c.tolerance = allowed(result);
    cases.push_back(c);
    if (!kernel.relu) return;
    cases.push_back(all_nan(std::move(c)));
  };
  const auto add = [&](DType dtype, const Matmul& kernel, const Shape& a, const Shape& b,
                       const Shape& out) {
    add_mixed(dtype, dtype, dtype == DType::int8 ? DType::int32 : dtype, kernel, a, b, out);
  };
  for (DType dtype : {DType::float16, DType::bfloat16}) {
    add_mixed(dtype, dtype, DType::float32, {}, {64, 96}, {96, 80}, {64, 80});
    add_mixed(dtype, dtype, DType::float32, {.transpose_b = true, .bias = true, .relu = true},
              {4, 32, 96}, {80, 96}, {4, 32, 80});
  }
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    add(dtype, {}, {64, 96}, {96, 80}, {64, 80});
    add(dtype, {.bias = true}, {4, 32, 96}, {96, 80}, {4, 32, 80});
    add(dtype, {.bias = true, .relu = true}, {4, 32, 96}, {96, 80}, {4, 32, 80});
    add(dtype, {.relu = true}, {64, 96}, {96, 80}, {64, 80});
    add(dtype, {.transpose_a = true}, {96, 64}, {96, 80}, {64, 80});
    add(dtype, {.transpose_b = true, .bias = true}, {64, 96}, {80, 96}, {64, 80});
    add(dtype, {.transpose_a = true, .transpose_b = true}, {3, 33, 17}, {3, 9, 33}, {3, 17, 9});
    add(dtype, {}, {2, 1, 24, 16}, {1, 6, 16, 40}, {2, 6, 24, 40});
    add(dtype, {}, {1, 7}, {7, 1}, {1, 1});
  }
  // In rows of whole 16 bytes, and copied to such: transposed, lengthened, and both.
  for (const bool bias : {false, true}) {
    add(DType::int8, {.transpose_b = true, .bias = bias}, {64, 96}, {80, 96}, {64, 80});
    add(DType::int8, {.bias = bias}, {4, 32, 96}, {96, 80}, {4, 32, 80});
    add(DType::int8, {.transpose_a = true, .bias = bias}, {90, 64}, {90, 81}, {64, 81});
    add(DType::int8, {.transpose_b = true, .bias = bias}, {1, 1000}, {1030, 1000}, {1, 1030});
  }
  add(DType::int8, {}, {2, 1, 24, 48}, {1, 6, 48, 40}, {2, 6, 24, 40});
  constexpr DType e4m3 = DType::float8_e4m3fn, e5m2 = DType::float8_e5m2;
  for (const auto& [a_type, b_type] : {std::pair(e4m3, e4m3), {e5m2, e4m3}, {e4m3, e5m2}})
    for (const bool bias : {false, true}) {
      const Matmul turned{.transpose_b = true, .bias = bias}, relu{.bias = bias, .relu = true};
      const auto add_float8 = [&](Matmul kernel, const Shape& a, const Shape& b, const Shape& out) {
        kernel.float8_a = a_type;
        kernel.float8_b = b_type;
        add_mixed(a_type, b_type, DType::float32, kernel, a, b, out);
      };
      add_float8(turned, {64, 96}, {80, 96}, {64, 80});
      add_float8(relu, {4, 32, 96}, {96, 80}, {4, 32, 80});
      add_float8(relu, {90, 64}, {64, 81}, {90, 81});
      add_float8({.transpose_a = true, .bias = bias}, {90, 64}, {90, 81}, {64, 81});
      add_float8(turned, {1, 1000}, {1030, 1000}, {1, 1030});
      add_float8({.bias = bias}, {2, 1, 24, 48}, {1, 6, 48, 40}, {2, 6, 24, 40});
    }
  return cases;
}

std::vector<CodegenCase> convolutions() {
  struct Sizes {
    Conv conv;
    Shape x, kernel, y;
  };
  std::mt19937 random(4);
  std::vector<CodegenCase> cases;
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    for (ConvPass pass : {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights})
      for (const Sizes& s : {
               Sizes{conv_of(pass, {1}, {1}, {2}, {0}, 1), {2, 30, 8}, {3, 8, 16}, {2, 30, 16}},
               Sizes{conv_of(pass, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1),
                     {4, 14, 15, 16},
                     {3, 3, 16, 32},
                     {4, 14, 15, 32}},
               // Uneven padding, as Keras's "same" has it with strides.
               Sizes{conv_of(pass, {2, 2}, {1, 1}, {0, 0}, {1, 1}, 1),
                     {2, 16, 12, 8},
                     {3, 3, 8, 24},
                     {2, 8, 6, 24}},
               Sizes{conv_of(pass, {1, 2}, {2, 1}, {2, 0}, {2, 1}, 2),
                     {2, 11, 10, 16},
                     {3, 3, 8, 32},
                     {2, 11, 5, 32}},
               Sizes{conv_of(pass, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 16),
                     {2, 9, 9, 16},
                     {3, 3, 1, 16},
                     {2, 9, 9, 16}},
               Sizes{conv_of(pass, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1),
                     {2, 9, 9, 3},
                     {3, 3, 3, 5},
                     {2, 9, 9, 5}},
               Sizes{conv_of(pass, {1, 1, 2}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}, 1),
                     {1, 6, 7, 8, 8},
                     {2, 3, 2, 8, 8},
                     {1, 5, 7, 4, 8}},
           })
        for (int epilogue = 0; epilogue < (pass == ConvPass::forward ? 4 : 1); ++epilogue) {
          CodegenCase c =
              case_of("conv " + std::string(dtype_name(dtype)) + " pass " +
                          std::to_string(static_cast<int>(pass)) + " epilogue " +
                          std::to_string(epilogue) + " " + s.x.str() + " " + s.kernel.str(),
                      s.conv, {}, {});
          Conv& conv = std::get<Conv>(c.kernel);
          conv.bias = (epilogue & 1) != 0;
          conv.relu = (epilogue & 2) != 0;
          const Shape& first = pass == ConvPass::backward_data ? s.y : s.x;
          const Shape& second = pass == ConvPass::backward_weights ? s.y : s.kernel;
          const Shape& result = pass == ConvPass::forward         ? s.y
                                : pass == ConvPass::backward_data ? s.x
                                                                  : s.kernel;
          c.inputs = {numbers(random, dtype, first), numbers(random, dtype, second)};
          if (conv.bias) c.inputs.push_back(numbers(random, dtype, {s.y.back()}));
          c.outputs = {Array(dtype, result)};
          c.tolerance = allowed(dtype);
          c.slack = is_float(dtype) && size_of(dtype) == 2 ? 1 : 1e-3;
          cases.push_back(c);
          if (!conv.relu) continue;
          cases.push_back(all_nan(std::move(c)));
        }
  return cases;
}

std::vector<CodegenCase> transforms() {
  std::mt19937 random(7);
  std::vector<CodegenCase> cases;
  for (const DType dtype : {DType::float32, DType::float64})
    for (const int64_t n : {1, 7, 16, 257, 600, 1021, 2048, 5003})
      for (const bool real : {false, true})
        for (const bool inverse : {false, true})
          for (const int64_t bins : {n, n / 2 + 1}) {
            const Shape shape({2, 3, n}), kept({2, 3, bins});
            CodegenCase& c = cases.emplace_back(
                case_of("fft " + std::string(dtype_name(dtype)) + " " + shape.str() +
                            (real ? " real" : "") + (inverse ? " inverse" : "") + " bins " +
                            std::to_string(bins),
                        Fft{inverse}, {numbers(random, dtype, shape)},
                        {Array(dtype, kept), Array(dtype, kept)}));
            if (!real) c.inputs.push_back(numbers(random, dtype, shape));
            // The terms of a row are all of about one size.
            c.slack = (dtype == DType::float64 ? 1e-13 : 1e-5) * std::sqrt(static_cast<double>(n));
          }
  return cases;
}

}  // namespace

TEST_CASE("GPUs run generated kernels as the CPU does") {
  check_all(codegen_cases());
  check_all(kernel_cases());
}

TEST_CASE("GPUs multiply as the CPU does") { check_all(products()); }

TEST_CASE("GPUs convolve as the CPU does") { check_all(convolutions()); }

TEST_CASE("GPUs transform signals as the CPU does, with cuFFT and without") {
  check_all(transforms());
  for (Backend* device : gpus())
    for (CodegenCase c : transforms()) {
      INFO(device->name() << ", composed: " << c.name);
      std::vector<std::unique_ptr<Remote>> in, out;
      std::vector<Operand> inputs, outputs;
      for (Array& array : c.inputs)
        inputs.push_back(in.emplace_back(std::make_unique<Remote>(*device, array))->operand());
      for (Array& array : c.outputs)
        outputs.push_back(out.emplace_back(std::make_unique<Remote>(*device, array))->operand());
      CHECK(composed(c.kernel, inputs, outputs, *device));
      std::vector<Array*> from, to;
      for (Array& array : c.inputs) from.push_back(&array);
      for (Array& array : c.outputs) to.push_back(&array);
      run(c.kernel, from, to);
      for (size_t i = 0; i < 2; ++i) CHECK(first_difference(out[i]->fetch(), c.outputs[i], c) < 0);
    }
}

TEST_CASE("GPUs decompose matrices") {
  const auto run = [](Backend& device, const Linalg& kernel, const std::vector<Array>& inputs) {
    return run_on(device, case_of("linalg", kernel, inputs, linalg_outputs(kernel, inputs)));
  };
  std::mt19937 random(6);
  for (Backend* device : gpus()) {
    for (const LinalgCase& c : linalg_cases()) {
      INFO(device->name() << ": " << c.name);
      const std::string fault = linalg_fault(c.kernel, c.inputs, run(*device, c.kernel, c.inputs));
      INFO(fault);
      CHECK(fault.empty());
    }
    // The first matrix has no answer, the second has.
    for (LinalgOp op : {LinalgOp::cholesky, LinalgOp::lu, LinalgOp::qr, LinalgOp::eigh,
                        LinalgOp::svd, LinalgOp::solve})
      for (const double wrong : {std::nan(""), -1.0}) {
        if (op != LinalgOp::cholesky && !std::isnan(wrong)) continue;
        INFO(device->name() << ": op " << static_cast<int>(op) << " of " << wrong);
        std::vector<Array> inputs{random_matrices(random, DType::float32, {2, 6, 6}, 9)};
        if (op == LinalgOp::solve)
          inputs.push_back(random_matrices(random, DType::float32, {2, 6, 3}));
        inputs[0].set(7, wrong);
        std::vector<Array> results;
        try {
          results = run(*device, {op}, inputs);
        } catch (const cornu::ValueError& error) {
          // The CPU says so: where it stands for a GPU, or a GPU is without cuSOLVER.
          CHECK(op == LinalgOp::cholesky);
          CHECK(std::string(error.what()).find("not positive definite") != std::string::npos);
        }
        for (const Array& result : results)
          for (int64_t i = 0; i < result.numel() && result.dtype() != DType::int32; ++i)
            CHECK(std::isnan(result[i]) == (i < result.numel() / 2));
      }
  }
}

}  // namespace gpu_test
