// Memory on GPUs, runs there and on the CPU, and their comparison.
#include "gpu_runs.h"

#include <cornu/backend/devices.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "catch.h"
#include "support/skip.h"

namespace cornu::backend::testing {

std::vector<Backend*> gpus() {
  std::vector<Backend*> found;
  for (Backend* device : devices())
    if (!device->on_host()) found.push_back(device);
  if (found.empty()) test::skip("there is no GPU here");
  return found;
}

Remote::Remote(Backend& device, Array& array)
    : device_(device),
      shape_(array.shape()),
      dtype_(array.dtype()),
      bytes_(static_cast<size_t>(array.numel()) * size_of(array.dtype())),
      data_(device.allocator().allocate(bytes_)) {
  if (bytes_ != 0) device.copy_from_host(data_, array.data(), bytes_);
}

Array Remote::fetch() const {
  Array array(dtype_, shape_);
  if (bytes_ != 0) device_.copy_to_host(array.data(), data_, bytes_);
  return array;
}

std::vector<Array> run_on(Backend& device, CodegenCase c, size_t repeated) {
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
    std::vector<Array> again = fetch();
    repeated = std::min(repeated, again.size());
    CHECK(std::equal(again.begin(), again.begin() + static_cast<std::ptrdiff_t>(repeated),
                     first.begin()));
  }
  return first;
}

int64_t first_difference(const Array& got, const Array& expected, const CodegenCase& allows) {
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double a = got[i], b = expected[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    // What is below the normal range a GPU keeps; on the CPU it is zero.
    const double least = got.dtype() == DType::float64 ? DBL_MIN : double{FLT_MIN};
    if (is_float(got.dtype()) && std::fabs(a) < least && std::fabs(b) < least) continue;
    // Where a product underflows, two machines' last bits may differ.
    const double floor = got.dtype() == DType::float64 ? 1e-300 : 1e-37;
    if (!(std::fabs(a - b) <= allows.tolerance * std::max(std::fabs(b), floor) + allows.slack))
      return i;
  }
  return -1;
}

std::vector<Array> run_on_cpu(CodegenCase c) {
  std::vector<Array*> inputs, outputs;
  for (Array& array : c.inputs) inputs.push_back(&array);
  for (Array& array : c.outputs) outputs.push_back(&array);
  run(c.kernel, inputs, outputs);
  return std::move(c.outputs);
}

namespace {

// What a library's convolution of float32 may be off, beside what the case allows: some transform
// their operands, which rounds. TF32 would be off by a hundred times as much.
double rounding_of(const CodegenCase& c, const Array& expected) {
  if (!std::holds_alternative<Conv>(c.kernel) || expected.dtype() != DType::float32) return 0;
  double largest = 0;
  for (int64_t i = 0; i < expected.numel(); ++i)
    largest = std::max(largest, std::fabs(expected[i]));
  return 1e-5 * largest;
}

bool offers(const Backend& device, const Kernel& kernel) {
  const auto* const matmul = std::get_if<Matmul>(&kernel);
  return !matmul || !matmul->float8_a || device.fusions().float8_products;
}

void check(Backend& device, const CodegenCase& c) {
  if (!offers(device, c.kernel)) return;
  INFO(device.name() << ": " << c.name);
  const std::vector<Array> got = run_on(device, c), expected = run_on_cpu(c);
  for (size_t i = 0; i < got.size(); ++i) {
    CodegenCase allows = c;
    allows.slack += rounding_of(c, expected[i]);
    const int64_t at = first_difference(got[i], expected[i], allows);
    if (at < 0) continue;
    INFO("output " << i << ", element " << at << ": " << got[i][at] << ", on the CPU "
                   << expected[i][at]);
    CHECK(at < 0);
  }
}

}  // namespace

void check_all(const std::vector<CodegenCase>& cases) {
  for (Backend* device : gpus())
    for (const CodegenCase& c : cases) check(*device, c);
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

}  // namespace cornu::backend::testing
