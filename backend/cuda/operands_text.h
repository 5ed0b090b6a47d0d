// Operands as text, for keys and errors.
#pragma once
#include <span>
#include <string>

#include "../backend.h"

namespace cornu::backend::cuda {

/// "float32 (8, 64) float32 (64, 10) -> float32 (8, 10)".
inline std::string operands_text(std::span<const Operand> inputs,
                                 std::span<const Operand> outputs) {
  std::string text;
  const auto add = [&](const Operand& operand) {
    text += std::string(dtype_name(operand.dtype)) + " " + operand.shape->str() + " ";
  };
  for (const Operand& operand : inputs) add(operand);
  text += "->";
  for (const Operand& operand : outputs) {
    text += " ";
    text += std::string(dtype_name(operand.dtype)) + " " + operand.shape->str();
  }
  return text;
}

}  // namespace cornu::backend::cuda
