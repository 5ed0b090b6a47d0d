// The warnings about libraries.
#include "fallback.h"

#include <fmt/core.h>

#include <mutex>
#include <set>

#include "../log.h"
#include "operands_text.h"

namespace cornu::backend::cuda {
namespace {

std::mutex mutex;

std::set<std::string>& told() {
  static auto& all = *new std::set<std::string>;
  return all;
}

}  // namespace

std::string fallback_text(const Kernel& kernel, std::span<const Operand> inputs,
                          std::span<const Operand> outputs, const std::string& library,
                          const std::string& why, const std::string& instead) {
  return fmt::format(
      "{} does not run a kernel {} of {}: {} does, and perhaps for others like it. The reason: "
      "{}{} "
      "`cornu devices --check` tells how each kind of kernel runs.",
      library, kernel_name(kernel), operands_text(inputs, outputs), instead, why,
      why.ends_with('.') ? "" : ".");
}

bool tell_fallback(const Kernel& kernel, std::span<const Operand> inputs,
                   std::span<const Operand> outputs, const std::string& library,
                   const std::string& why, const std::string& instead) {
  const DType dtype = inputs.empty() ? outputs[0].dtype : inputs[0].dtype;
  {
    const std::lock_guard lock(mutex);
    if (!told()
             .insert(fmt::format("{} {} {}", library, kernel_name(kernel), dtype_name(dtype)))
             .second)
      return false;
  }
  warn_once(fallback_text(kernel, inputs, outputs, library, why, instead));
  return true;
}

}  // namespace cornu::backend::cuda
