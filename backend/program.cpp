// Building, comparing and printing elementwise programs. Derivatives are in derivative.cpp.
#include "program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "error.h"

namespace cornu::backend {
namespace {

// While a program is built, values of the three kinds have numbers in ranges of their own, because
// constants and instructions arrive mixed. `finish` gives them their final numbers.
constexpr uint16_t constant_base = 0x4000;
constexpr uint16_t instruction_base = 0x8000;

bool is_instruction(uint16_t value) { return value >= instruction_base; }
bool is_constant_value(uint16_t value) {
  return value >= constant_base && value < instruction_base;
}

// -0 and 0 are different constants, and NaN equals itself.
bool same_bits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

[[noreturn]] void too_long() {
  throw ValueError(
      "Program: expected at most 16384 inputs, 16384 constants and 32767 instructions, found more. "
      "Split the computation into several programs.");
}

void mix(size_t& hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
  hash ^= hash >> 29;
}

}  // namespace

ProgramBuilder::ProgramBuilder(int inputs) : inputs_(inputs) {
  if (inputs < 0 || inputs >= constant_base) too_long();
}

Expr ProgramBuilder::constant(double value) {
  for (size_t i = 0; i < constants_.size(); ++i)
    if (same_bits(constants_[i], value))
      return Expr(this, static_cast<uint16_t>(constant_base + i));
  if (constants_.size() >= size_t{instruction_base - constant_base}) too_long();
  constants_.push_back(value);
  return Expr(this, static_cast<uint16_t>(constant_base + constants_.size() - 1));
}

uint16_t ProgramBuilder::value_of(const Expr& e) {
  if (e.builder_ == nullptr) return constant(e.constant_).value_;
  if (e.builder_ != this)
    throw ValueError(
        "ProgramBuilder: expected operands of one program, found a value of another. Pass values "
        "between programs as inputs.");
  return e.value_;
}

const double* ProgramBuilder::constant_at(uint16_t value) const {
  return is_constant_value(value) ? &constants_[value - constant_base] : nullptr;
}

int ProgramBuilder::fold(Opcode op, const uint16_t* operands) {
  const uint16_t a = operands[0], b = operands[1];
  const double* ca = constant_at(a);
  const double* cb = constant_at(b);
  // Sums with zero stay: -0 + 0 is +0. A product with zero stays: NaN * 0 is NaN.
  switch (op) {
    case Opcode::identity:
      return a;
    case Opcode::negative:
      if (is_instruction(a) && instructions_[a - instruction_base].op == Opcode::negative)
        // -(-x) is x, for NaN and zeros too.
        return instructions_[a - instruction_base].operands[0];
      break;
    case Opcode::multiply:
      if (cb && *cb == 1) return a;
      if (ca && *ca == 1) return b;
      break;
    case Opcode::add:
      if (cb && same_bits(*cb, -0.0)) return a;
      if (ca && same_bits(*ca, -0.0)) return b;
      break;
    case Opcode::subtract:
      if (cb && same_bits(*cb, 0.0)) return a;
      break;
    case Opcode::true_divide:
    case Opcode::power:
      if (cb && *cb == 1) return a;
      break;
    // Whatever the condition, both ways give the same.
    case Opcode::select:
      if (b == operands[2]) return b;
      break;
    default:
      break;
  }
  // Arithmetic of constants, where every compute type would get the same result.
  if (ca == nullptr) return -1;
  double result;
  if (op == Opcode::negative) {
    result = -*ca;
  } else if (cb != nullptr &&
             (op == Opcode::add || op == Opcode::subtract || op == Opcode::multiply)) {
    result = op == Opcode::add ? *ca + *cb : op == Opcode::subtract ? *ca - *cb : *ca * *cb;
  } else {
    return -1;
  }
  const auto small_integer = [](double v) { return v == std::trunc(v) && std::fabs(v) < 1 << 24; };
  // Up to 2^24 float32 holds every integer: the result is the same in each compute type.
  if (!small_integer(*ca) || !small_integer(result)) return -1;
  if (op != Opcode::negative && !small_integer(*cb)) return -1;
  return constant(result).value_;
}

Expr ProgramBuilder::append(Opcode op, std::initializer_list<Expr> operands) {
  if (static_cast<int>(operands.size()) != info(op).arity)
    throw ValueError(std::string("Program: expected ") + std::to_string(info(op).arity) +
                     " operands of '" + info(op).name + "', found " +
                     std::to_string(operands.size()) + ".");
  Instruction instruction{op};
  int count = 0;
  for (const Expr& e : operands) instruction.operands[count++] = value_of(e);
  if (const int folded = fold(op, instruction.operands); folded >= 0)
    return Expr(this, static_cast<uint16_t>(folded));
  if (op == Opcode::power)
    if (const double* exponent = constant_at(instruction.operands[1]); exponent && *exponent == 2)
      instruction = Instruction{Opcode::square, {instruction.operands[0], 0, 0}};
  for (size_t i = instructions_.size(); i-- > 0;)
    if (instructions_[i] == instruction)
      return Expr(this, static_cast<uint16_t>(instruction_base + i));
  if (instructions_.size() >= size_t{0x7FFF}) too_long();
  instructions_.push_back(instruction);
  return Expr(this, static_cast<uint16_t>(instruction_base + instructions_.size() - 1));
}

ProgramRef ProgramBuilder::finish(const std::vector<Expr>& outputs) {
  std::vector<uint16_t> results;
  for (const Expr& e : outputs) results.push_back(value_of(e));

  std::vector<char> constant_live(constants_.size(), 0), live(instructions_.size(), 0);
  const auto mark = [&](uint16_t value) {
    if (is_instruction(value))
      live[value - instruction_base] = 1;
    else if (is_constant_value(value))
      constant_live[value - constant_base] = 1;
  };
  for (uint16_t value : results) mark(value);
  for (size_t i = instructions_.size(); i-- > 0;)
    if (live[i])
      for (int k = 0; k < info(instructions_[i].op).arity; ++k) mark(instructions_[i].operands[k]);

  std::shared_ptr<Program> program(new Program());
  program->inputs_ = inputs_;
  std::vector<uint16_t> constant_number(constants_.size()), number(instructions_.size());
  for (size_t i = 0; i < constants_.size(); ++i) {
    if (!constant_live[i]) continue;
    constant_number[i] = static_cast<uint16_t>(inputs_ + program->constants_.size());
    program->constants_.push_back(constants_[i]);
  }
  const auto renumber = [&](uint16_t value) {
    return is_instruction(value)      ? number[value - instruction_base]
           : is_constant_value(value) ? constant_number[value - constant_base]
                                      : value;
  };
  const size_t first = inputs_ + program->constants_.size();
  for (size_t i = 0; i < instructions_.size(); ++i) {
    if (!live[i]) continue;
    Instruction instruction{instructions_[i].op};
    for (int k = 0; k < info(instruction.op).arity; ++k)
      instruction.operands[k] = renumber(instructions_[i].operands[k]);
    number[i] = static_cast<uint16_t>(first + program->instructions_.size());
    program->instructions_.push_back(instruction);
  }
  for (uint16_t value : results) program->outputs_.push_back(renumber(value));

  size_t hash = 0;
  mix(hash, static_cast<uint64_t>(inputs_));
  for (double c : program->constants_) mix(hash, std::bit_cast<uint64_t>(c));
  for (const Instruction& i : program->instructions_)
    mix(hash, static_cast<uint64_t>(i.op) | uint64_t{i.operands[0]} << 8 |
                  uint64_t{i.operands[1]} << 24 | uint64_t{i.operands[2]} << 40);
  for (uint16_t value : program->outputs_) mix(hash, value);
  program->hash_ = hash;
  program->plan();
  return program;
}

void Program::plan() {
  reads_.assign(inputs_, 0);
  const auto read = [&](uint16_t value) {
    if (value < inputs_) reads_[value] = 1;
  };
  for (uint16_t value : outputs_) read(value);
  for (const Instruction& instruction : instructions_)
    for (int k = 0; k < info(instruction.op).arity; ++k) read(instruction.operands[k]);
  find_steps();
  assign_registers();
}

void Program::find_steps() {
  const size_t first = inputs_ + constants_.size(), count = instructions_.size();
  std::vector<int> readers(count, 0);
  for (const Instruction& instruction : instructions_)
    for (int k = 0; k < info(instruction.op).arity; ++k)
      if (instruction.operands[k] >= first) ++readers[instruction.operands[k] - first];
  for (uint16_t value : outputs_)
    // An output counts as more than one reader, so that it is never hidden inside of a step.
    if (value >= first) readers[value - first] += 2;

  std::vector<Step> ending(count);  // the step that ends with each instruction
  std::vector<char> absorbed(count, 0);
  for (size_t i = 0; i < count; ++i) {
    const Instruction& instruction = instructions_[i];
    Step& step = ending[i];
    step.members[0] = static_cast<uint16_t>(i);
    const bool arithmetic = instruction.op == Opcode::add || instruction.op == Opcode::subtract ||
                            instruction.op == Opcode::multiply;
    if (!arithmetic && instruction.op != Opcode::true_divide) continue;
    for (int k = 0; k < 2; ++k) {
      if (instruction.operands[k] < first) continue;
      const size_t before = instruction.operands[k] - first;
      const Opcode op = instructions_[before].op;
      const bool starts = op == Opcode::add || op == Opcode::subtract || op == Opcode::multiply ||
                          op == Opcode::square;
      // Three links at most: loops exist for each combination of operations, which grow as a power.
      if (readers[before] != 1 || ending[before].length == 3) continue;
      if (ending[before].length == 1 && !starts) continue;
      step = ending[before];
      step.reversed[step.length] = k == 1;
      step.members[step.length++] = static_cast<uint16_t>(i);
      absorbed[before] = 1;
      break;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!absorbed[i]) steps_.push_back(ending[i]);
}

void Program::assign_registers() {
  const size_t first = inputs_ + constants_.size(), count = instructions_.size();
  // Operands live until the step that reads them has run, whether it runs as one loop or as many.
  std::vector<size_t> last(count, 0), end(count);
  // A chain reads all its operands in one loop, so they live until its last member.
  for (const Step& step : steps_)
    for (int k = 0; k < step.length; ++k) end[step.members[k]] = step.members[step.length - 1];
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < info(instructions_[i].op).arity; ++k)
      if (const uint16_t value = instructions_[i].operands[k]; value >= first)
        last[value - first] = std::max(last[value - first], end[i]);
  for (uint16_t value : outputs_)
    // Outputs are stored after the last instruction.
    if (value >= first) last[value - first] = count;

  std::vector<uint16_t> free;
  registers_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t value = 0; value < i; ++value) {
      if (last[value] != i) continue;
      // Before the result gets its register: an instruction may write over an operand that it reads
      // for the last time, since it works element by element.
      free.push_back(registers_[value]);
      last[value] = count + 1;
    }
    if (free.empty()) {
      registers_[i] = static_cast<uint16_t>(register_count_++);
    } else {
      registers_[i] = free.back();
      free.pop_back();
    }
  }
}

ProgramBuilder& ProgramBuilder::of(Opcode op, std::initializer_list<Expr> operands) {
  for (const Expr& e : operands)
    if (e.builder_ != nullptr) return *e.builder_;
  throw ValueError(std::string("Program: expected a value of a program among the operands of '") +
                   info(op).name + "', found numbers only. Compute with the numbers first.");
}

Expr apply(Opcode op, Expr a) { return ProgramBuilder::of(op, {a}).append(op, {a}); }
Expr apply(Opcode op, Expr a, Expr b) { return ProgramBuilder::of(op, {a, b}).append(op, {a, b}); }
Expr apply(Opcode op, Expr a, Expr b, Expr c) {
  return ProgramBuilder::of(op, {a, b, c}).append(op, {a, b, c});
}

ProgramRef Program::make(int inputs, const std::function<std::vector<Expr>(std::vector<Expr>)>& f) {
  ProgramBuilder builder(inputs);
  std::vector<Expr> values;
  for (int i = 0; i < inputs; ++i) values.push_back(builder.input(i));
  return builder.finish(f(std::move(values)));
}

int Program::passes(int index) const { return outputs_[index] < inputs_ ? outputs_[index] : -1; }

std::string Program::str() const {
  const size_t first = inputs_ + constants_.size();
  const auto name = [&](uint16_t value) -> std::string {
    if (value < inputs_) return "x" + std::to_string(value);
    if (value >= first) return "v" + std::to_string(value - first);
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", constants_[value - inputs_]);
    return text;
  };
  std::string text;
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& instruction = instructions_[i];
    text += "v" + std::to_string(i) + " = " + info(instruction.op).name + "(";
    for (int k = 0; k < info(instruction.op).arity; ++k)
      text += (k ? ", " : "") + name(instruction.operands[k]);
    text += ")\n";
  }
  text += "return ";
  for (size_t k = 0; k < outputs_.size(); ++k) text += (k ? ", " : "") + name(outputs_[k]);
  return text + "\n";
}

bool operator==(const Program& a, const Program& b) {
  if (a.hash_ != b.hash_ || a.inputs_ != b.inputs_ || a.instructions_ != b.instructions_ ||
      a.outputs_ != b.outputs_ || a.constants_.size() != b.constants_.size())
    return false;
  for (size_t i = 0; i < a.constants_.size(); ++i)
    if (!same_bits(a.constants_[i], b.constants_[i])) return false;
  return true;
}

}  // namespace cornu::backend
