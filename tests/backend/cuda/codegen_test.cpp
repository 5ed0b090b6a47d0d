// Generated CUDA source without a GPU: the host form gives the CPU's results, NVRTC compiles the
// texts, and launches fit their problems.
#include <cornu/backend/cuda/codegen/codegen.h>
#include <cornu/backend/cuda/codegen/index_space.h>
#include <cornu/backend/cuda/codegen/program_text.h>
#include <cornu/backend/denormals.h>
#include <cornu/backend/error.h>

#include "catch.h"
#include "codegen_cases.h"
#include "gpu_runs.h"
#include "host_form.h"

namespace codegen_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

cuda::KernelPlan plan_of(const Fused& kernel, const std::vector<Shape>& inputs, const Shape& output,
                         DType dtype = DType::float32, int alignment = 16) {
  std::vector<Operand> in;
  for (const Shape& shape : inputs) in.push_back({&shape, dtype, nullptr});
  const Operand out[] = {{&output, dtype, nullptr}};
  return cuda::plan(kernel, in, out, {.alignment = alignment});
}

cuda::KernelPlan plan_sum(const Shape& shape, const InlineVector<int, 6>& axes,
                          const Shape& output) {
  const Operand in[] = {{&shape, DType::float32, nullptr}};
  const Operand out[] = {{&output, DType::float32, nullptr}};
  return cuda::plan(
      Reduce{program_of(Opcode::identity), DType::float32, ReduceOp::sum, axes, shape}, in, out);
}

bool has(const cuda::KernelPlan& plan, const std::string& text) {
  return plan.stages.at(0).source->body.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the host form of every generated kernel gives the CPU's results") {
  std::vector<CodegenCase> cases = codegen_cases();
  std::vector<cuda::KernelPlan> plans;
  std::vector<std::shared_ptr<const cuda::Source>> sources;
  for (CodegenCase& each : cases) {
    plans.push_back(each.plan());
    for (const cuda::Stage& stage : plans.back().stages) sources.push_back(stage.source);
  }
  const HostKernels kernels(sources);
  if (!kernels.ok()) {
    if (kernels.log().find("error") != std::string::npos) FAIL(kernels.log().substr(0, 4000));
    WARN("No C++ compiler: the host form of generated kernels is not run.");
    return;
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    CodegenCase& each = cases[i];
    std::vector<Array> expected = each.outputs;
    std::vector<Array*> in, out;
    for (Array& array : each.inputs) in.push_back(&array);
    for (Array& array : expected) out.push_back(&array);
    run(each.kernel, in, out);

    std::vector<void*> data;
    for (Array& array : each.inputs) data.push_back(array.data());
    for (size_t k = 0; k < each.outputs.size(); ++k) {
      const int over = each.overwrites.empty() ? -1 : each.overwrites[k];
      data.push_back(over < 0 ? each.outputs[k].data()
                              : each.inputs[static_cast<size_t>(over)].data());
    }
    {
      const DenormalsAsZero scope;  // as the CPU's kernels have it
      kernels.run(plans[i], data);
    }
    for (size_t k = 0; k < each.outputs.size(); ++k) {
      const int over = each.overwrites.empty() ? -1 : each.overwrites[k];
      const Array& got = over < 0 ? each.outputs[k] : each.inputs[static_cast<size_t>(over)];
      const int64_t at = first_difference(got, expected[k], each);
      if (at < 0) continue;
      std::string where;
      for (const Array& x : each.inputs)
        if (x.numel() == got.numel()) where += " " + std::to_string(x[at]);
      std::string operation;
      if (const Fused* fused = std::get_if<Fused>(&each.kernel)) {
        const Program& program = *fused->program;
        const size_t first = static_cast<size_t>(program.inputs()) + program.constants().size();
        if (const size_t value = program.outputs()[k]; value >= first)
          operation = info(program.instructions()[value - first].op).name;
      }
      INFO(each.name << ", output " << k << " (" << operation << "), element " << at << " of"
                     << where);
      CHECK(got[at] == expected[k][at]);
    }
  }
}

TEST_CASE("texts depend on the program and the pattern of broadcasting, not on sizes") {
  const Fused kernel{program_of(Opcode::add)};
  const auto name = [](const cuda::KernelPlan& plan) { return plan.stages.at(0).source->name; };
  const auto contiguous = plan_of(kernel, {{64}, {64}}, {64});
  CHECK(name(contiguous) == name(plan_of(kernel, {{8, 16}, {8, 16}}, {8, 16})));
  CHECK(name(contiguous) != name(plan_of(kernel, {{63}, {63}}, {63})));
  CHECK(name(contiguous) != name(plan_of(kernel, {{64}, {64}}, {64}, DType::float16)));
  CHECK(name(contiguous) != name(plan_of(kernel, {{64}, {}}, {64})));
  CHECK(name(plan_of(kernel, {{5, 8}, {8}}, {5, 8})) ==
        name(plan_of(kernel, {{3, 2, 12}, {12}}, {3, 2, 12})));
  CHECK(name(contiguous) != name(plan_of(Fused{program_of(Opcode::subtract)}, {{64}, {64}}, {64})));
  CHECK(name(plan_sum({100, 20}, {1}, {100})) == name(plan_sum({7, 30, 25}, {2}, {7, 30})));
  // Hashes are the same in every run and on every machine.
  CHECK(cuda::text_hash("") == "2c399aff51eb477d642b3651143776fe");
  CHECK(cuda::text_hash("a") != cuda::text_hash("b"));
}

TEST_CASE("vectors are as wide as addresses, rows and programs allow") {
  const Fused kernel{program_of(Opcode::add)};
  CHECK(has(plan_of(kernel, {{64}, {64}}, {64}), "load_pack<4>"));
  CHECK(has(plan_of(kernel, {{64}, {64}}, {64}, DType::float32, 8), "load_pack<2>"));
  CHECK(has(plan_of(kernel, {{64}, {64}}, {64}, DType::float32, 4), "load_pack<1>"));
  CHECK(has(plan_of(kernel, {{64}, {64}}, {64}, DType::float16), "load_pack<8>"));
  CHECK(has(plan_of(kernel, {{64}, {64}}, {64}, DType::float64), "load_pack<2>"));
  CHECK(has(plan_of(kernel, {{4, 6}, {6}}, {4, 6}), "load_pack<2>"));
  CHECK(has(plan_of(kernel, {{4, 7}, {7}}, {4, 7}), "load_pack<1>"));
  CHECK(has(plan_of(kernel, {{67}, {67}}, {67}), ", left)"));
  CHECK_FALSE(has(plan_of(kernel, {{64}, {64}}, {64}), ", left)"));
}

TEST_CASE("launches cover their elements, and large ones use 64-bit indices") {
  const Fused kernel{program_of(Opcode::add)};
  const auto small = plan_of(kernel, {{1030}, {1030}}, {1030});
  CHECK(small.stages[0].grid_x == 2);  // 258 vectors
  CHECK(small.stages[0].words == std::vector<uint64_t>{258, 1030});
  CHECK(small.stages[0].pointers == std::vector<int>{0, 1, 2});
  CHECK(has(small, "typedef uint32 Index"));
  const Shape huge({1 << 20, 3, 1 << 11});
  const auto large = plan_of(kernel, {huge, {1 << 11}}, huge);
  CHECK(large.stages[0].grid_x == 32 * 132);
  CHECK(has(large, "typedef uint64 Index"));
  CHECK(large.stages[0].words.back() == uint64_t{3} << 29);
  CHECK(has(plan_of(kernel, {{(int64_t{1} << 31) - 1}, {1}}, {(int64_t{1} << 31) - 1}),
            "uint32 Index"));
  CHECK(plan_of(kernel, {{0, 3}, {3}}, {0, 3}).stages.empty());

  // Few results of many elements are split over blocks, and all elements are in some chunk.
  const auto split = plan_sum(huge, {0, 1, 2}, {});
  REQUIRE(split.stages.size() == 2);
  CHECK(has(split, "typedef uint64 Index"));
  const uint64_t chunk = split.stages[0].words[2];
  CHECK(chunk * split.stages[0].grid_y >= static_cast<uint64_t>(huge.numel()));
  CHECK(chunk * (split.stages[0].grid_y - 1) < static_cast<uint64_t>(huge.numel()));
  CHECK(split.stages[0].grid_y == 512);
  CHECK(split.workspace_bytes == 512 * 8);
  CHECK(split.stages[1].grid_x == 1);
  CHECK(split.stages[1].pointers == std::vector<int>{2, 1});
  const auto columns = plan_sum({100000, 64}, {0}, {64});
  REQUIRE(columns.stages.size() == 2);
  CHECK(columns.stages[0].grid_x == 1);  // 16 threads with 4 columns each
  CHECK(columns.stages[0].grid_y > 100);
  CHECK(columns.workspace_bytes == columns.stages[0].grid_y * 64 * 8);
  CHECK(plan_sum({100000, 64}, {1}, {100000}).stages.size() == 1);
  CHECK(plan_sum({100000, 64}, {1}, {100000}).stages[0].grid_x == 12500);  // a warp each
}

TEST_CASE("dividers divide") {
  std::mt19937 generator(1);
  std::vector<uint32_t> divisors = {1, 2, 3, 5, 7, 641, 65535, 65536, 0x7FFFFFFF, 0x80000000u};
  for (int i = 0; i < 200; ++i)
    divisors.push_back(static_cast<uint32_t>(random_int(generator, 1, 0x7FFFFFFF) >> (i % 31)) | 1);
  for (uint32_t divisor : divisors) {
    const cuda::Divider divider = cuda::divider_of(divisor);
    std::vector<uint32_t> numbers = {0, 1, divisor - 1, 0x7FFFFFFF, 0x7FFFFFFE};
    if (divisor < 0x80000000u) numbers.push_back(divisor);
    for (int i = 0; i < 50; ++i)
      numbers.push_back(static_cast<uint32_t>(random_int(generator, 0, 0x7FFFFFFF)));
    for (uint32_t multiple = 0; multiple < 20; ++multiple)
      if (uint64_t{multiple} * divisor < 0x80000000u) numbers.push_back(multiple * divisor);
    bool right = true;
    for (uint32_t n : numbers) {
      if (n >= 0x80000000u) continue;
      const uint32_t high = static_cast<uint32_t>((uint64_t{n} * divider.multiplier) >> 32);
      right &= (high + n) >> divider.shift == n / divisor;
    }
    INFO(divisor);
    CHECK(right);
  }
}

TEST_CASE("axes are merged where all operands agree") {
  const Shape shape({2, 3, 4, 1, 5}), row({4, 1, 5}), column({2, 3, 1, 1, 1}), one;
  const Operand in[] = {{&shape, DType::float32, nullptr},
                        {&row, DType::float32, nullptr},
                        {&column, DType::float32, nullptr},
                        {&one, DType::float32, nullptr}};
  const ProgramRef program = Program::make(
      4, [](std::vector<Expr> x) { return std::vector<Expr>{x[0] + x[1] + x[2] + x[3]}; });
  const cuda::IndexSpace space(shape, *program, in);
  REQUIRE(space.axes.size() == 2);
  CHECK(space.axes[0].size == 6);
  CHECK(space.axes[1].size == 20);
  CHECK(space.axes[0].strides == std::vector<int64_t>{20, 0, 1, 0});
  CHECK(space.axes[1].strides == std::vector<int64_t>{1, 1, 0, 0});
  CHECK(space.dense(0));
  CHECK_FALSE(space.dense(1));
  CHECK(space.scalar(3));
  const int reduced[] = {-1};
  CHECK(cuda::IndexSpace(shape, *program, in, reduced).axes.size() == 3);
}

TEST_CASE("kernels that cannot be generated say so") {
  CHECK_THROWS_AS(plan_of(Fused{program_of(Opcode::add), DType::float16}, {{4}, {4}}, {4}),
                  ValueError);
  const Shape key({2}), shape({4});
  const Operand in[] = {{&key, DType::uint32, nullptr}};
  const Operand out[] = {{&shape, DType::int32, nullptr}};
  CHECK_THROWS_AS(cuda::plan(Random{Distribution::normal}, in, out), ValueError);
}

}  // namespace codegen_test
