// Instructions as text: each opcode becomes a small function with the expression of its row.
#include "program_text.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>

#include "../../error.h"
#include "prelude.h"

namespace cornu::backend::cuda {
namespace {

bool is_compute(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::int32 ||
         dtype == DType::int64 || dtype == DType::uint64;
}

/// Whether the operation is defined on the compute type itself; others go by float64 or int64, as
/// on the CPU.
bool is_native(Opcode op, DType compute) {
  const Domain domain = info(op).domain;
  if (is_float(compute)) return domain != Domain::integer;
  return domain != Domain::floating || op == Opcode::floor || op == Opcode::ceil ||
         op == Opcode::round_even;
}

/// Operations whose integers overflow: they are done on unsigned ones, which wrap.
bool wraps(Opcode op) {
  switch (op) {
    case Opcode::negative:
    case Opcode::square:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::logical_and:
    case Opcode::tie_share:
    case Opcode::fma:
    case Opcode::lerp:
      return true;
    default:
      return false;
  }
}

std::string function_text(Opcode op) {
  const OpcodeInfo& row = info(op);
  const std::string names = "abc", expression = row.expression;
  std::string text = "template <class S>\nCORNU_DEVICE S op_" + std::string(row.name) + "(";
  for (int k = 0; k < row.arity; ++k)
    text += std::string(k ? ", " : "") + "S " + names[static_cast<size_t>(k)] + "_";
  text +=
      std::string(") {\n  typedef ") + (wraps(op) ? "typename Modular<S>::type" : "S") + " T;\n";
  for (size_t k = 0; k < static_cast<size_t>(row.arity); ++k)
    text += std::string("  const T ") + names[k] + " = static_cast<T>(" + names[k] + "_);\n";
  if (expression.find("num(") != std::string::npos) text += "  const Number<T> num{};\n";
  return text + "  return static_cast<S>(" + expression + ");\n}\n";
}

template <class T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

}  // namespace

std::string with(std::string text, const std::string& mark, const std::string& by) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
  return text;
}

void check_compute(const char* kernel, DType compute) {
  if (!is_compute(compute))
    throw ValueError(std::string(kernel) +
                     ": expected compute type float32, float64, int32, int64 or uint64, found " +
                     std::string(dtype_name(compute)) + ". Choose one that holds the operands.");
}

std::string type_text(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "Bool";
    case DType::int32:
      return "int";
    case DType::float16:
      return "Half";
    case DType::bfloat16:
      return "BFloat16";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::float8_e4m3fn:
      return "Float8E4M3";
    case DType::float8_e5m2:
      return "Float8E5M2";
    default:
      return std::string(dtype_name(dtype));
  }
}

std::string literal(DType compute, double value) {
  char text[64];
  switch (compute) {
    case DType::float32: {
      const float single = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &single, sizeof bits);
      if (std::isfinite(single) && std::fabs(single) >= std::numeric_limits<float>::min())
        std::snprintf(text, sizeof text, "%.8ef", static_cast<double>(single));
      else
        std::snprintf(text, sizeof text, "bits_as<float>(0x%08Xu)", bits);
      break;
    }
    case DType::float64: {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      if (std::isfinite(value) && std::fabs(value) >= std::numeric_limits<double>::min())
        std::snprintf(text, sizeof text, "%.16e", value);
      else
        std::snprintf(text, sizeof text, "bits_as<double>(0x%016llXull)",
                      static_cast<unsigned long long>(bits));
      break;
    }
    case DType::int32:
      std::snprintf(text, sizeof text, "static_cast<int>(0x%08Xu)",
                    static_cast<uint32_t>(saturated<int32_t>(value)));
      break;
    case DType::int64:
      std::snprintf(text, sizeof text, "static_cast<int64>(0x%016llXull)",
                    static_cast<unsigned long long>(saturated<int64_t>(value)));
      break;
    default:
      std::snprintf(text, sizeof text, "0x%016llXull",
                    static_cast<unsigned long long>(saturated<uint64_t>(value)));
  }
  return text;
}

ProgramText program_text(const Program& program, DType compute, std::span<const std::string> inputs,
                         const std::string& indent, std::set<Opcode>* defined) {
  ProgramText text;
  const std::string type = type_text(compute);
  const std::string other = type_text(is_float(compute) ? DType::int64 : DType::float64);
  std::vector<std::string> values(inputs.begin(), inputs.end());
  for (double constant : program.constants()) values.push_back(literal(compute, constant));
  std::set<Opcode> own;
  if (!defined) defined = &own;
  const auto& instructions = program.instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    if (defined->insert(instruction.op).second) text.functions += function_text(instruction.op);
    const bool native = is_native(instruction.op, compute);
    std::string call =
        "op_" + std::string(info(instruction.op).name) + "<" + (native ? type : other) + ">(";
    for (int k = 0; k < info(instruction.op).arity; ++k) {
      const std::string& operand = values[instruction.operands[k]];
      if (k > 0) call += ", ";
      call += native ? operand : "convert<" + other + ">(" + operand + ")";
    }
    call += ")";
    const std::string name = "v" + std::to_string(i);
    text.statements += indent + "const " + type + " " + name + " = " +
                       (native ? call : "convert<" + type + ">(" + call + ")") + ";\n";
    values.push_back(name);
  }
  for (uint16_t output : program.outputs()) text.results.push_back(values[output]);
  return text;
}

int program_cost(const Program& program) {
  int cost = 1;
  for (const Instruction& instruction : program.instructions()) {
    const Opcode op = instruction.op;
    const bool function = (op >= Opcode::exp && op <= Opcode::softplus) || op == Opcode::power ||
                          op == Opcode::arctan2 || op == Opcode::mod || op == Opcode::floor_divide;
    cost += function ? 24 : op == Opcode::true_divide || op == Opcode::div_sqrt_eps ? 8 : 1;
  }
  return cost;
}

int64_t most_together(const Program& program) {
  const int cost = program_cost(program);
  return cost > 256 ? 1 : cost > 96 ? 2 : 8;
}

std::shared_ptr<const Source> make_source(const std::string& kind, std::string body, bool random) {
  static const std::string prelude_hash =
      text_hash(std::string(prelude()) + std::string(random_prelude()));
  const std::string hash = text_hash(prelude_hash + body);
  auto source = std::make_shared<Source>();
  source->name = "cornu_" + kind + "_" + hash;
  body = with(with(std::move(body), "@NAME@", source->name), "@SPACE@", "text_" + hash);
  source->body = std::move(body);
  source->random = random;
  return source;
}

}  // namespace cornu::backend::cuda
