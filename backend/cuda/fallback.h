// Tells the user, once, that a vendor's library does not do what it is there for.
#pragma once
#include <span>
#include <string>

#include "../backend.h"

namespace cornu::backend::cuda {

/// Says that `kernel` runs without `library`, because of `why` (the library's own reason).
/// `instead` names what does the work: "a generated kernel without tensor cores".
std::string fallback_text(const Kernel& kernel, std::span<const Operand> inputs,
                          std::span<const Operand> outputs, const std::string& library,
                          const std::string& why, const std::string& instead);

/// Warns with that text: once in a process for each library, kind of kernel and dtype. False where
/// it was said before.
bool tell_fallback(const Kernel& kernel, std::span<const Operand> inputs,
                   std::span<const Operand> outputs, const std::string& library,
                   const std::string& why, const std::string& instead);

}  // namespace cornu::backend::cuda
