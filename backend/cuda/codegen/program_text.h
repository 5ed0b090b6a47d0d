// Elementwise programs and element types as text.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../../program.h"
#include "kernel_plan.h"

namespace cornu::backend::cuda {

/// The prelude's name of a stored element type: "float", "Half", "Bool", ...
std::string type_text(DType dtype);

/// The text with `by` in place of each `mark`.
std::string with(std::string text, const std::string& mark, const std::string& by);

/// A constant of a compute type, converted as programs convert theirs.
std::string literal(DType compute, double value);

/// The instructions of a program as text.
struct ProgramText {
  std::string functions;             ///< definitions of the operations that it uses
  std::string statements;            ///< one line for each instruction
  std::vector<std::string> results;  ///< expressions of the outputs
};

/// `inputs` are expressions of the compute type, one for each input; those that are not read may be
/// empty. Definitions of operations that are in `defined` are left out, and those given are added
/// to it: programs of one kernel share it. Throws ValueError when `compute` is no compute type.
ProgramText program_text(const Program& program, DType compute, std::span<const std::string> inputs,
                         const std::string& indent, std::set<Opcode>* defined = nullptr);

/// Rough number of machine instructions for one element.
int program_cost(const Program& program);

/// Most elements that a thread computes together: longer programs would only fill registers.
int64_t most_together(const Program& program);

/// The source of a body whose kernel is called `@NAME@` and whose other names stand in the
/// namespace `@SPACE@`.
std::shared_ptr<const Source> make_source(const std::string& kind, std::string body,
                                          bool random = false);

/// Throws ValueError unless `compute` is float32, float64, int32, int64 or uint64.
void check_compute(const char* kernel, DType compute);

}  // namespace cornu::backend::cuda
