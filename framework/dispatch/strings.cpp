// Kernels on string tensors: the same kernels on their indices, once all have one table.
#include "strings.h"

#include <fmt/core.h>

#include "../tensor/strings.h"

namespace cornu {
namespace {

using backend::Opcode;

bool is_one(const backend::ProgramRef& program, Opcode op) {
  const backend::ProgramRef& one = backend::program_of(op);
  return program == one || *program == *one;
}

bool takes_strings(const backend::ProgramRef& program) {
  return is_one(program, Opcode::identity) || is_one(program, Opcode::equal) ||
         is_one(program, Opcode::not_equal) || is_one(program, Opcode::select);
}

[[noreturn]] void refuse(const std::string& name) {
  throw ValueError(
      fmt::format("{}: does not take strings. Make numbers of them first, for instance with "
                  "StringLookup, Hashing or "
                  "TextVectorization.",
                  name));
}

// The operation's name as far as its kernel tells it.
std::string name_of(const backend::Kernel& kernel) {
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel)) {
    static constexpr const char* names[] = {"sum", "prod", "max", "min", "argmax", "argmin"};
    return names[static_cast<int>(reduce->op)];
  }
  if (const auto* copy = std::get_if<backend::Copy>(&kernel)) return copy->covers ? "copy" : "pad";
  return backend::kernel_name(kernel);
}

// Whether the kernel only moves or compares elements of these operands.
bool moves(const backend::Kernel& kernel, std::span<const Tensor> inputs) {
  const auto string = [&](size_t i) { return inputs[i].dtype() == DType::string; };
  if (const auto* copy = std::get_if<backend::Copy>(&kernel)) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!string(i)) return false;
    return copy->covers;
  }
  if (std::holds_alternative<backend::Gather>(kernel)) return string(0) && !string(1);
  const auto* fused = std::get_if<backend::Fused>(&kernel);
  if (!fused || !takes_strings(fused->program)) return false;
  const size_t first = is_one(fused->program, Opcode::select) ? 1 : 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (string(i) != (i >= first)) return false;
  return true;
}

void run(const backend::Kernel& kernel, std::span<const Tensor> inputs,
         std::span<const Tensor> outputs) {
  std::vector<Tensor> strings;
  for (const Tensor& t : inputs)
    if (t.dtype() == DType::string) strings.push_back(t);
  std::vector<std::vector<int32_t>> merged;
  const StringTable table = detail::merge_tables(strings, merged);
  InlineVector<backend::Operand, 8> in, out;
  size_t next = 0;
  for (const Tensor& t : inputs) {
    in.push_back(t.operand());
    if (t.dtype() != DType::string) continue;
    // Equal strings have equal indices once all operands share a table.
    in.back().dtype = DType::int32;
    if (!merged.empty()) in.back().data = merged[next++].data();
  }
  for (const Tensor& t : outputs) {
    out.push_back(t.operand());
    if (t.dtype() != DType::string) continue;
    out.back().dtype = DType::int32;
    t.set_string_table(table);
  }
  backend::cpu_backend().run(kernel, in, out);
}

}  // namespace

void check_strings(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                   const char* name) {
  for (const Tensor& t : inputs)
    if (t.dtype() == DType::string && !takes_strings(program)) refuse(name);
}

Tensors apply_to_strings(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                         std::span<const TensorSpec> outputs) {
  if (inputs.empty() || !moves(kernel, inputs)) refuse(name_of(kernel));
  return apply_host(
      [kernel](std::span<const Tensor> in, std::span<const Tensor> out) { run(kernel, in, out); },
      inputs, outputs, std::string("strings: ") + backend::kernel_name(kernel));
}

}  // namespace cornu
