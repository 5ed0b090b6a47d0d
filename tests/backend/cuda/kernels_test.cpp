// Generated kernels from whole texts without a GPU: the host form gives the CPU's results, NVRTC
// compiles the texts, and launches fit large problems.
#include <cornu/backend/cuda/codegen/codegen.h>
#include <cornu/backend/cuda/nvrtc_cache.h>
#include <cornu/backend/error.h>

#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

#include "catch.h"
#include "host_form.h"
#include "kernel_cases.h"

namespace kernels_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

/// The first index at which arrays differ by more than the case allows, or -1.
int64_t first_mismatch(const Array& got, const Array& expected, const CodegenCase& allows) {
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double a = got[i], b = expected[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::fabs(a - b) <= allows.tolerance * std::fabs(b) + allows.slack)) return i;
  }
  return -1;
}

/// A plan for operands of these shapes that are not there.
template <class K>
cuda::KernelPlan plan_of(const K& kernel, const std::vector<Shape>& inputs,
                         const std::vector<Shape>& outputs, DType dtype = DType::float32,
                         DType second = DType::float32) {
  std::vector<Operand> in, out;
  for (size_t i = 0; i < inputs.size(); ++i)
    in.push_back({&inputs[i], i == 1 ? second : dtype, nullptr});
  for (size_t i = 0; i < outputs.size(); ++i)
    out.push_back({&outputs[i], i == 1 ? second : dtype, nullptr});
  return cuda::plan(kernel, in, out);
}

bool has(const cuda::KernelPlan& plan, const std::string& text, size_t stage = 0) {
  return plan.stages.at(stage).source->body.find(text) != std::string::npos;
}

/// Plans that need indices of 64 bits; the operands are never there.
std::vector<cuda::KernelPlan> wide_plans() {
  const int64_t big = int64_t{1} << 31;
  const DType real = DType::float32, whole = DType::int32;
  return {
      plan_of(Copy{{{Shape{32, big / 32}, {0, {1, 32}}, {0, {big / 32, 1}}}}, Shape{32, big / 32}},
              {{big / 32, 32}}, {{32, big / 32}}),
      // A view of few elements that lie far apart.
      plan_of(Copy{{{Shape{9}, {0, {big / 8}}, {0, {1}}}}, Shape{9}}, {{big + 1}}, {{9}}),
      plan_of(Copy{{}, Shape{big}, 1, false}, {}, {{big}}),
      plan_of(Gather{}, {{big / 4, 5}, {3}}, {{3, 5}}, real, whole),
      plan_of(Scatter{}, {{big / 4, 5}, {3}, {3, 5}}, {{big / 4, 5}}, real, whole),
      plan_of(Scatter{}, {{big / 4, 5}, {3000}, {3000, 5}}, {{big / 4, 5}}, real, whole),
      plan_of(Cumulative{0}, {{big}}, {{big}}),
      plan_of(Cumulative{0}, {{2, big / 2}}, {{2, big / 2}}),
      plan_of(Softmax{}, {{big / 8, 9}}, {{big / 8, 9}}),
      plan_of(Sort{false, 10}, {{big / 8, 10}}, {{big / 8, 10}, {big / 8, 10}}, real, whole),
      plan_of(Sort{true, 10}, {{3, big / 2}}, {{3, 10}, {3, 10}}, DType::float64, whole),
      plan_of(Pool{true, false, {2}, {2}, {0}, {0}}, {{big / 8, 16, 1}}, {{big / 8, 8, 1}}),
      plan_of(Pool{true, true, {2}, {2}, {0}, {0}},
              {{big / 8, 16, 1}, {big / 8, 8, 1}, {big / 8, 8, 1}}, {{big / 8, 16, 1}}),
      plan_of(Normalize{}, {{big / 8, 9}, {9}, {9}}, {{big / 8, 9}, {9}, {9}}),
      plan_of(Normalize{true, true, true, true, true}, {{big / 8, 9}, {9}, {9}, {big / 8, 9}, {9}},
              {{big / 8, 9}, {9}, {9}}),
      plan_of(Normalize{false}, {{big / 8, 9}, {9}, {9}}, {{big / 8, 9}, {big / 8}, {big / 8}}),
      plan_of(Normalize{false, true, true, true, true},
              {{big / 8, 9}, {big / 8}, {big / 8}, {big / 8, 9}, {9}}, {{big / 8, 9}, {9}, {9}}),
      plan_of(Matmul{}, {{big / 8, 9}, {9, 9}}, {{big / 8, 9}}),
      plan_of(Matmul{true}, {{big / 8, 9}, {big / 8, 9}}, {{9, 9}}),
      plan_of(Matmul{}, {{big / 8, 3, 3}, {big / 8, 3, 3}}, {{big / 8, 3, 3}}),
      plan_of(Conv{ConvPass::forward, {1}, {1}, {0}, {0}}, {{big / 64, 65, 1}, {1, 1, 1}},
              {{big / 64, 65, 1}}),
      plan_of(Conv{ConvPass::backward_data, {1}, {1}, {0}, {0}}, {{big / 64, 65, 1}, {1, 1, 1}},
              {{big / 64, 65, 1}}),
      plan_of(Conv{ConvPass::backward_weights, {1}, {1}, {0}, {0}},
              {{big / 64, 65, 1}, {big / 64, 65, 1}}, {{1, 1, 1}})};
}

/// All texts once, in the order of a hash.
std::vector<std::shared_ptr<const cuda::Source>> distinct_sources() {
  std::map<std::string, std::shared_ptr<const cuda::Source>> sources;
  for (const cuda::KernelPlan& plan : wide_plans())
    for (const cuda::Stage& stage : plan.stages)
      sources[cuda::text_hash(stage.source->name)] = stage.source;
  for (CodegenCase each : kernel_cases())
    for (const cuda::Stage& stage : each.plan().stages)
      sources[cuda::text_hash(stage.source->name)] = stage.source;
  std::vector<std::shared_ptr<const cuda::Source>> all;
  for (const auto& [name, source] : sources) all.push_back(source);
  return all;
}

}  // namespace

TEST_CASE("the host form of kernels from whole texts gives the CPU's results") {
  std::vector<CodegenCase> cases = kernel_cases();
  const HostKernels kernels(distinct_sources());
  if (!kernels.ok()) {
    if (kernels.log().find("error") != std::string::npos) FAIL(kernels.log().substr(0, 4000));
    WARN("No C++ compiler: the host form of generated kernels is not run.");
    return;
  }
  int64_t compared = 0;
  for (CodegenCase& each : cases) {
    std::vector<Array> expected = each.outputs;
    std::vector<Array*> in, out;
    std::vector<void*> data;
    for (Array& array : each.inputs) {
      in.push_back(&array);
      data.push_back(array.data());
    }
    for (Array& array : expected) out.push_back(&array);
    run(each.kernel, in, out);
    // What was there before is of no consequence.
    for (Array& array : each.outputs) {
      if (const size_t bytes = static_cast<size_t>(array.numel()) * size_of(array.dtype()))
        std::memset(array.data(), 0x55, bytes);
      data.push_back(array.data());
    }
    kernels.run(each.plan(), data);
    for (size_t k = 0; k < each.outputs.size(); ++k) {
      compared += expected[k].numel();
      const int64_t at = first_mismatch(each.outputs[k], expected[k], each);
      if (at < 0) continue;
      INFO(each.name << ", output " << k << ", element " << at);
      CHECK(each.outputs[k][at] == expected[k][at]);
    }
  }
  CHECK(compared > 500000);
}

TEST_CASE("NVRTC compiles the kernels from whole texts for compute capability 8.0 or 9.0") {
  const cuda::Nvrtc* compiler = nullptr;
  try {
    compiler = &cuda::Nvrtc::get();
  } catch (const UnsupportedError& error) {
    WARN("Not tested: " << error.what());
    return;
  }
  const auto sources = distinct_sources();
  // Half of the kernels for each, mixed by their hashes: errors of the text show with either.
  constexpr size_t parts = 16;
  std::atomic<size_t> next = 0;
  std::vector<std::string> errors(parts);
  const auto work = [&] {
    for (size_t k; (k = next++) < parts;) {
      const size_t begin = k * sources.size() / parts, end = (k + 1) * sources.size() / parts;
      try {
        const std::string image =
            compiler->compile(cuda::batch_text(std::span(sources.data() + begin, end - begin)),
                              "part", k % 2 ? 90 : 80);
        if (image.substr(1, 3) != "ELF") errors[k] = "no machine code";
      } catch (const std::exception& error) {
        errors[k] = error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1u, 4u); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) CHECK(error.substr(0, 4000) == "");
}

TEST_CASE("texts of whole kernels are shared by shapes") {
  const auto name = [](const cuda::KernelPlan& plan, size_t stage = 0) {
    return plan.stages.at(stage).source->name;
  };
  CHECK(name(plan_of(Softmax{}, {{5, 80}}, {{5, 80}})) ==
        name(plan_of(Softmax{}, {{7, 8, 120}}, {{7, 8, 120}})));
  CHECK(name(plan_of(Matmul{}, {{70, 80}, {80, 90}}, {{70, 90}})) ==
        name(plan_of(Matmul{}, {{500, 20}, {20, 33}}, {{500, 33}})));
  CHECK(name(plan_of(Sort{false, 5}, {{3, 9}}, {{3, 5}, {3, 5}}, DType::float32, DType::int32)) ==
        name(plan_of(Sort{false, 2}, {{99}}, {{2}, {2}}, DType::float32, DType::int32)));
  const Conv conv{ConvPass::forward, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  CHECK(name(plan_of(conv, {{8, 9, 9, 4}, {3, 3, 4, 32}}, {{8, 9, 9, 32}})) ==
        name(plan_of(conv, {{2, 20, 9, 8}, {3, 3, 8, 64}}, {{2, 20, 9, 64}})));
}

TEST_CASE("indices beyond 31 bits take 64, and grids stay within their limits") {
  const int64_t big = int64_t{1} << 31;
  for (const cuda::KernelPlan& plan : wide_plans()) {
    CHECK_FALSE(plan.stages.empty());
    for (size_t i = 0; i < plan.stages.size(); ++i) {
      INFO(plan.stages[i].source->name);
      CHECK(has(plan, "uint64 Index;", i));
      CHECK(plan.stages[i].grid_x <= 0x7FFFFFFF);
      CHECK(plan.stages[i].grid_y <= 65535);
    }
  }
  CHECK(wide_plans()[0].stages[0].grid_x == big / 1024);
  const Copy smaller{{{Shape{32, big / 64}, {0, {1, 32}}, {0, {big / 64, 1}}}},
                     Shape{32, big / 64}};
  CHECK(has(plan_of(smaller, {{big / 64, 32}}, {{32, big / 64}}), "uint32 Index;"));
}

TEST_CASE("elements beyond 2^31 are found where they are") {
  // Zeros that take no memory, but for the pages that are written.
  const int64_t count = (int64_t{1} << 31) + 5;
  const auto bytes = static_cast<size_t>(count);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    WARN("Not tested: no addresses for 2^31 + 5 bytes");
    return;
  }
  const std::shared_ptr<void> owner(memory, [bytes](void* p) { munmap(p, bytes); });
  auto* const values = static_cast<uint8_t*>(memory);
  for (int64_t i = 0; i < 5; ++i) values[count - 5 + i] = static_cast<uint8_t>(11 + i);
  values[0] = 7;

  const DType byte = DType::uint8;
  const auto last =
      plan_of(Copy{{{Shape{5}, {count - 1, {-1}}, {0, {1}}}}, Shape{5}}, {{count}}, {{5}}, byte);
  const auto picked = plan_of(Gather{}, {{count}, {3}}, {{3}}, byte, DType::int64);
  const auto rows = plan_of(Gather{}, {{count / 3, 3}, {2}}, {{2, 3}}, byte, DType::int64);
  const auto written = plan_of(Scatter{}, {{count}, {2}, {2}}, {{count}}, byte, DType::int64);
  std::vector<std::shared_ptr<const cuda::Source>> sources;
  for (const auto* plan : {&last, &picked, &rows})
    for (const cuda::Stage& stage : plan->stages) {
      CHECK(stage.source->body.find("uint64 Index;") != std::string::npos);
      sources.push_back(stage.source);
    }
  CHECK(has(written, "uint64 Index;"));
  const HostKernels kernels(sources);
  if (!kernels.ok()) return;
  uint8_t five[5] = {}, three[3] = {}, six[6] = {};
  kernels.run(last, {memory, five});
  CHECK(std::vector<int>(five, five + 5) == std::vector<int>{15, 14, 13, 12, 11});
  int64_t places[] = {count - 1, -5, 0}, last_row[] = {-1, 0};
  kernels.run(picked, {memory, places, three});
  CHECK(std::vector<int>(three, three + 3) == std::vector<int>{15, 11, 7});
  kernels.run(rows, {memory, last_row, six});
  const int64_t row = (count / 3 - 1) * 3;
  CHECK(std::vector<int>(six, six + 6) ==
        std::vector<int>{values[row], values[row + 1], values[row + 2], 7, 0, 0});
  CHECK(values[row + 1] > 10);
}

TEST_CASE("few results of many products are shared by blocks") {
  const auto plan = plan_of(Matmul{true}, {{100000, 64}, {100000, 64}}, {{64, 64}});
  REQUIRE(plan.stages.size() == 2);
  CHECK(plan.stages[0].grid_x == 1);
  CHECK(plan.stages[0].grid_y > 200);
  CHECK(plan.workspace_bytes == plan.stages[0].grid_y * 64 * 64 * 4);
  CHECK(plan_of(Matmul{}, {{4096, 512}, {512, 4096}}, {{4096, 4096}}).stages.size() == 1);
}

TEST_CASE("kernels say what they do not take") {
  Pool pool{true, false, {2}, {2}, {0}, {0}, 8};
  CHECK_THROWS_AS(plan_of(pool, {{2, 1, 4, 8}}, {{2, 1, 2, 8}}), UnsupportedError);
  Conv conv{ConvPass::forward, {1}, {1}, {0}, {0}};
  conv.block_x = 8;
  CHECK_THROWS_AS(plan_of(conv, {{2, 1, 4, 8}, {1, 8, 8}}, {{2, 4, 8}}), UnsupportedError);
  Normalize normalize;
  normalize.block = 8;
  CHECK_THROWS_AS(plan_of(normalize, {{2, 1, 4, 8}}, {{2, 1, 4, 8}}), UnsupportedError);
  const int64_t big = int64_t{1} << 31;
  CHECK_THROWS_AS(plan_of(Sort{false, 1}, {{big}}, {{1}, {1}}, DType::float32, DType::int32),
                  ValueError);
}

}  // namespace kernels_test
