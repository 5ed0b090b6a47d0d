// A CUDA backend on the fake driver, for tests of all that surrounds kernels.
#pragma once
#include <cornu/backend/cuda/codegen/codegen.h>
#include <cornu/backend/cuda/cuda_backend.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "fake_driver.h"

namespace cornu::backend::testing {

/// Runs on the CPU what is launched on the fake device, when its turn comes.
class ByCpu final : public Executable {
 public:
  ByCpu(FakeDriver& driver, cuda::Context& context, const Kernel& kernel,
        std::span<const Operand> inputs, std::span<const Operand> outputs)
      : driver_(driver),
        context_(context),
        inner_(cpu_backend().prepare(kernel, shapes_of(inputs), shapes_of(outputs))),
        count_(inputs.size() + outputs.size()) {}
  void run(void* const* data) override {
    driver_.enqueue(context_.stream(), [inner = inner_, all = std::vector(data, data + count_)] {
      inner->run(all.data());
    });
  }

 private:
  // Their addresses come with each run.
  static std::vector<Operand> shapes_of(std::span<const Operand> operands) {
    std::vector<Operand> shapes(operands.begin(), operands.end());
    for (Operand& operand : shapes) operand = {operand.shape, operand.dtype, nullptr};
    return shapes;
  }

  FakeDriver& driver_;
  cuda::Context& context_;
  std::shared_ptr<Executable> inner_;
  size_t count_;
};

/// A CUDA backend on a fake driver.
struct Bench {
  FakeDriver driver;
  int compiled = 0, library_calls = 0;
  bool library = false;  ///< whether there is one, which has all kernels but attention
  cuda::Services::Maker composition;
  std::unique_ptr<cuda::CudaBackend> made;

  ~Bench() {
    made.reset();
    CHECK(driver.early_frees == 0);
  }

  cuda::CudaBackend& backend() {
    if (!made) {
      cuda::Services services;
      services.driver = &driver.table();
      services.compile = [this](const cuda::Source& source, int architecture) {
        CHECK(architecture == driver.architectures.try_emplace(0, 90).first->second);
        ++compiled;
        return std::make_shared<const std::string>(source.name);
      };
      services.library = [this](const Kernel& kernel, std::span<const Operand> inputs,
                                std::span<const Operand> outputs,
                                cuda::Context& context) -> std::unique_ptr<Executable> {
        ++library_calls;
        if (!library || std::holds_alternative<Attention>(kernel)) return nullptr;
        return std::make_unique<ByCpu>(driver, context, kernel, inputs, outputs);
      };
      services.composition = composition;
      made = std::make_unique<cuda::CudaBackend>(0, services);
    }
    return *made;
  }
  float* device(const std::vector<float>& values) {
    auto* const data = static_cast<float*>(backend().allocator().allocate(values.size() * 4));
    backend().copy_from_host(data, values.data(), values.size() * 4);
    return data;
  }
  std::vector<float> host(const float* data, size_t count) {
    std::vector<float> values(count);
    backend().copy_to_host(values.data(), data, count * 4);
    return values;
  }
  /// Lets the fake driver add what the generated kernel for x + y would.
  void add_adder(const Kernel& kernel, std::span<const Operand> inputs,
                 std::span<const Operand> outputs) {
    const cuda::KernelPlan plan = cuda::plan(std::get<Fused>(kernel), inputs, outputs);
    REQUIRE(plan.stages.size() == 1);
    const cuda::Stage& stage = plan.stages[0];
    const int64_t n = outputs[0].shape->numel();
    const bool number = inputs[1].shape->numel() == 1;
    const std::vector<int> pointers = stage.pointers;
    driver.kernels[stage.source->name] = {stage.arguments().size(),
                                          [=](const std::vector<uint64_t>& block) {
                                            float* at[3] = {};
                                            for (size_t i = 0; i < pointers.size(); ++i)
                                              at[pointers[i]] = std::bit_cast<float*>(block[i]);
                                            for (int64_t i = 0; i < n; ++i)
                                              at[2][i] = at[0][i] + at[1][number ? 0 : i];
                                          }};
  }
};

/// x + y.
inline Kernel adder() {
  ProgramBuilder builder(2);
  return Fused{builder.finish({builder.input(0) + builder.input(1)})};
}

}  // namespace cornu::backend::testing
