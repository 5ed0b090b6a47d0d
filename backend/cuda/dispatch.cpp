// The order in which the ways to run a kernel are tried.
#include "dispatch.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "../error.h"
#include "codegen/codegen.h"
#include "grouped_attention.h"
#include "launch.h"
#include "shared_heads_trial.h"

namespace cornu::backend::cuda {
namespace {

// What is left of a kernel when its results have no elements.
class Nothing final : public Executable {
 public:
  void run(void* const*) override {}
};

// Runs what somebody else launches, and lets the device know.
class Counted final : public Executable {
 public:
  Counted(Device& device, std::unique_ptr<Executable> inner)
      : device_(device), inner_(std::move(inner)) {}
  void run(void* const* data) override {
    inner_->run(data);
    device_.count_work();
  }
  uint32_t inputs_to_prepack(uint32_t stable) override { return inner_->inputs_to_prepack(stable); }
  void keep(void* const* data) override {
    inner_->keep(data);
    device_.count_work();
  }

 private:
  Device& device_;
  std::unique_ptr<Executable> inner_;
};

bool is_empty(const Operand& operand) { return operand.shape->numel() == 0; }

// The generated kernel, if the generator has a plan for this type of kernel.
template <class K>
std::optional<KernelPlan> generated(const K& kernel, std::span<const Operand> inputs,
                                    std::span<const Operand> outputs, const PlanOptions& options) {
  if constexpr (requires { plan(kernel, inputs, outputs, options); })
    return plan(kernel, inputs, outputs, options);
  else
    return std::nullopt;
}

std::string operands_text(std::span<const Operand> operands) {
  std::string text;
  for (const Operand& operand : operands)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", dtype_name(operand.dtype),
                        operand.shape->str());
  return text;
}

}  // namespace

std::unique_ptr<Executable> make_generated(Device& device, const Kernel& kernel,
                                           std::span<const Operand> inputs,
                                           std::span<const Operand> outputs) {
  const PlanOptions options{.multiprocessors = device.multiprocessors(),
                            .slow_doubles = device.slow_doubles()};
  const std::optional<KernelPlan> plan =
      std::visit([&](const auto& k) { return generated(k, inputs, outputs, options); }, kernel);
  if (!plan) return nullptr;
  auto executable = std::make_unique<PlanExecutable>(device, *plan, inputs.size() + outputs.size());
  device.set_path(plan->stages.size() == 1
                      ? "a generated kernel"
                      : fmt::format("{} generated kernels", plan->stages.size()));
  return executable;
}

std::unique_ptr<Executable> make_executable(Device& device, const Kernel& kernel,
                                            std::span<const Operand> inputs,
                                            std::span<const Operand> outputs) {
  // A launch of no blocks is an error in CUDA.
  if (std::all_of(outputs.begin(), outputs.end(), is_empty)) return std::make_unique<Nothing>();
  const Services& services = device.services();
  // Libraries differ in what they make of sums over nothing. Gradients of recurrent layers may be
  // empty, and what went forwards in a library has to go backwards there.
  const bool whole = std::none_of(inputs.begin(), inputs.end(), is_empty);
  const auto* const attention = std::get_if<Attention>(&kernel);
  const bool grouped = attention && is_grouped(inputs);
  // Libraries first, where they have the kernel: products and convolutions are faster there. Then
  // generated kernels, then compositions of other kernels.
  if (services.library && (whole || std::holds_alternative<Rnn>(kernel)))
    if (device.set_path("a library");
        auto executable = services.library(kernel, inputs, outputs, device))
      if (!grouped || shared_heads_are_right(*attention, inputs, device))
        return std::make_unique<Counted>(device, std::move(executable));
  // The others know as many heads of keys as of queries.
  if (grouped) return repeated_attention(*attention, inputs, outputs, device);

  std::string why;
  try {
    if (auto executable = make_generated(device, kernel, inputs, outputs)) return executable;
  } catch (const UnsupportedError& e) {
    // Kept for the last error: a composition may still do it.
    why = fmt::format(" {}", e.what());
  }
  if (services.composition)
    if (auto executable = services.composition(kernel, inputs, outputs, device)) {
      device.set_path(std::holds_alternative<Linalg>(kernel) ? "the CPU, by copies"
                                                             : "other kernels, one after another");
      return executable;
    }
  throw UnsupportedError(fmt::format(
      "{}: expected a kernel {} of ({}) to ({}), found none.{} Move the operands to the CPU with "
      "Tensor::to.",
      device.name(), kernel_name(kernel), operands_text(inputs), operands_text(outputs), why));
}

}  // namespace cornu::backend::cuda
