// Kernels on every GPU of this machine against the CPU. Without one the tests say so and pass.
#include <cornu/backend/compositions.h>
#include <cornu/backend/devices.h>

#include <cmath>
#include <cstring>

#include "../linalg_checks.h"
#include "catch.h"
#include "codegen_cases.h"
#include "kernel_cases.h"

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

std::vector<Backend*> gpus() {
  std::vector<Backend*> found;
  for (Backend* device : devices())
    if (!device->on_host()) found.push_back(device);
  if (found.empty()) WARN("Not tested: there is no GPU here");
  return found;
}

/// An operand's memory on a device.
class Remote {
 public:
  Remote(Backend& device, Array& array)
      : device_(device),
        shape_(array.shape()),
        dtype_(array.dtype()),
        bytes_(static_cast<size_t>(array.numel()) * size_of(array.dtype())),
        data_(device.allocator().allocate(bytes_)) {
    if (bytes_ != 0) device.copy_from_host(data_, array.data(), bytes_);
  }
  Remote(const Remote&) = delete;
  ~Remote() { device_.allocator().deallocate(data_, bytes_); }

  Operand operand() const { return {&shape_, dtype_, data_}; }
  Array fetch() const {
    Array array(dtype_, shape_);
    if (bytes_ != 0) device_.copy_to_host(array.data(), data_, bytes_);
    return array;
  }

 private:
  Backend& device_;
  Shape shape_;
  DType dtype_;
  size_t bytes_;
  void* data_;
};

/// Runs a prepared kernel twice; the second run has to give the same bits, unless it reads what the
/// first has written over.
std::vector<Array> run_on(Backend& device, CodegenCase c) {
  std::vector<std::unique_ptr<Remote>> in, out;
  for (Array& array : c.inputs) in.push_back(std::make_unique<Remote>(device, array));
  for (Array& array : c.outputs) out.push_back(std::make_unique<Remote>(device, array));
  std::vector<Operand> inputs, outputs;
  for (const auto& remote : in) inputs.push_back(remote->operand());
  bool over = false;
  for (size_t i = 0; i < out.size(); ++i) {
    const int under = i < c.overwrites.size() ? c.overwrites[i] : -1;
    over |= under >= 0;
    outputs.push_back(under >= 0 ? inputs[static_cast<size_t>(under)] : out[i]->operand());
  }
  const auto fetch = [&] {
    device.synchronize();
    std::vector<Array> results;
    for (size_t i = 0; i < out.size(); ++i) {
      const int under = i < c.overwrites.size() ? c.overwrites[i] : -1;
      results.push_back((under >= 0 ? in[static_cast<size_t>(under)] : out[i])->fetch());
    }
    return results;
  };
  const std::unique_ptr<Executable> ready = device.prepare(c.kernel, inputs, outputs);
  std::vector<void*> data;
  for (const Operand& operand : inputs) data.push_back(operand.data);
  for (const Operand& operand : outputs) data.push_back(operand.data);
  ready->run(data.data());
  std::vector<Array> first = fetch();
  if (!over) {
    ready->run(data.data());
    CHECK((fetch() == first));
  }
  return first;
}

int64_t first_difference(const Array& got, const Array& expected, const CodegenCase& allows) {
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double a = got[i], b = expected[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double floor = got.dtype() == DType::float64 ? 1e-300 : 1e-37;
    if (!(std::fabs(a - b) <= allows.tolerance * std::max(std::fabs(b), floor) + allows.slack))
      return i;
  }
  return -1;
}

void check(Backend& device, CodegenCase c) {
  INFO(device.name() << ": " << c.name);
  const std::vector<Array> got = run_on(device, c);
  std::vector<Array*> inputs, outputs;
  for (Array& array : c.inputs) inputs.push_back(&array);
  for (Array& array : c.outputs) outputs.push_back(&array);
  run(c.kernel, inputs, outputs);
  for (size_t i = 0; i < got.size(); ++i) {
    const int64_t at = first_difference(got[i], c.outputs[i], c);
    if (at < 0) continue;
    INFO("output " << i << ", element " << at << ": " << got[i][at] << ", on the CPU "
                   << c.outputs[i][at]);
    CHECK(at < 0);
  }
}

CodegenCase case_of(std::string name, Kernel kernel, std::vector<Array> inputs,
                    std::vector<Array> outputs) {
  CodegenCase c;
  c.name = std::move(name);
  c.kernel = std::move(kernel);
  c.inputs = std::move(inputs);
  c.outputs = std::move(outputs);
  return c;
}

double allowed(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float16:
      return 0x1p-10;
    case DType::float32:
      return 1e-5;
    default:
      return 1e-12;
  }
}

Array numbers(std::mt19937& random, DType dtype, const Shape& shape) {
  return random_array(random, dtype, shape, -3, 3);
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
  const auto add = [&](DType dtype, Matmul kernel, const Shape& a, const Shape& b,
                       const Shape& out) {
    CodegenCase c =
        case_of("matmul " + std::string(dtype_name(dtype)) + " " + a.str() + " " + b.str(), kernel,
                {numbers(random, dtype, a), numbers(random, dtype, b)}, {Array(dtype, out)});
    if (kernel.bias) c.inputs.push_back(numbers(random, dtype, {out.back()}));
    c.tolerance = allowed(dtype);
    cases.push_back(std::move(c));
  };
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
          cases.push_back(std::move(c));
        }
  return cases;
}

// Forwards, and backwards from what the CPU gave forwards.
std::vector<CodegenCase> attentions() {
  std::mt19937 random(5);
  const auto real = [&](DType dtype, const Shape& shape) {
    Array array(dtype, shape);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; i < array.numel(); ++i) array.set(i, uniform(random));
    return array;
  };
  std::vector<CodegenCase> cases;
  for (DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (bool causal : {false, true})
      for (int64_t keys : {64, 50}) {
        const int64_t queries = 64;
        Attention attention{.scale = 0.125, .causal = causal};
        CodegenCase c =
            case_of("attention " + std::string(dtype_name(dtype)) + (causal ? " causal " : " ") +
                        std::to_string(keys),
                    attention,
                    {real(dtype, {2, queries, 3, 64}), real(dtype, {2, keys, 3, 64}),
                     real(dtype, {2, keys, 3, 64})},
                    {Array(dtype, {2, queries, 3, 64}), Array(DType::float32, {2, 3, queries})});
        c.tolerance = allowed(dtype);
        c.slack = 4 * allowed(dtype);
        CodegenCase back = c;
        std::vector<Array*> in, out;
        for (Array& array : c.inputs) in.push_back(&array);
        for (Array& array : c.outputs) out.push_back(&array);
        run(attention, in, out);
        attention.backward = true;
        back.kernel = attention;
        back.name += " backward";
        back.inputs.insert(back.inputs.end(), c.outputs.begin(), c.outputs.end());
        back.inputs.push_back(real(dtype, {2, queries, 3, 64}));
        back.outputs = {back.inputs[0], back.inputs[1], back.inputs[2]};
        back.slack = 16 * allowed(dtype);
        cases.push_back(std::move(c));
        cases.push_back(std::move(back));
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

void check_all(const std::vector<CodegenCase>& cases) {
  for (Backend* device : gpus())
    for (const CodegenCase& c : cases) check(*device, c);
}

}  // namespace

TEST_CASE("GPUs run generated kernels as the CPU does") {
  check_all(codegen_cases());
  check_all(kernel_cases());
}

TEST_CASE("GPUs multiply as the CPU does") { check_all(products()); }

TEST_CASE("GPUs convolve as the CPU does") { check_all(convolutions()); }

TEST_CASE("GPUs attend as the CPU does") { check_all(attentions()); }

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
      CHECK(linalg_fault(c.kernel, c.inputs, run(*device, c.kernel, c.inputs)) == "");
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
        for (const Array& result : run(*device, {op}, inputs))
          for (int64_t i = 0; i < result.numel() && result.dtype() != DType::int32; ++i)
            CHECK(std::isnan(result[i]) == (i < result.numel() / 2));
      }
  }
}
