// Elementwise expression programs: what every activation, loss, optimizer update and fused chain of
// operations is made of. A program is a list of scalar instructions over its inputs. It knows
// neither shapes nor devices; a backend runs it over broadcast operands (see Fused and Reduce in
// kernel.h).
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dtype.h"

namespace cornu::backend {

/// The operations of a program, the rows of opcodes.inc.
enum class Opcode : uint8_t {
#define CORNU_ROW(name, ...) name,
#include "opcodes.inc"
#undef CORNU_ROW
};

/// Which element types an operation takes and gives; see opcodes.inc.
enum class Domain : uint8_t { numeric, floating, boolean, logical, integer };

/// The row of an opcode, without its code.
struct OpcodeInfo {
  const char* name;        ///< as in `expr` and in texts
  const char* keras;       ///< "numpy.Exp", or ""
  int arity;               ///< operands, 1 to 3
  Domain domain;           ///< which dtypes it takes
  const char* expression;  ///< the row's expression as text, for generated kernels
};

/// The row of an opcode.
const OpcodeInfo& info(Opcode op);
/// Number of opcodes.
inline constexpr int opcode_count = 0
#define CORNU_ROW(...) +1
#include "opcodes.inc"
#undef CORNU_ROW
    ;

/// One instruction. Operands are value numbers: first the inputs, then the constants, then the
/// results of the instructions in order.
struct Instruction {
  Opcode op;                         ///< what it does
  uint16_t operands[3] = {0, 0, 0};  ///< value numbers; those beyond the arity are 0
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// Up to three additions, subtractions, multiplications or divisions, each reading the one before,
/// whose results in between nobody else reads: a backend may run them as one loop, at the place of
/// the last. Any other instruction is a step of its own.
struct Step {
  uint16_t length = 1;              ///< instructions in it
  uint16_t members[3] = {0, 0, 0};  ///< instructions, in order
  bool reversed[3] = {};            ///< whether the member before is the second operand
};

class Program;
/// Programs are immutable and shared.
using ProgramRef = std::shared_ptr<const Program>;

class ProgramBuilder;

/// A value in a program under construction; operators on it append instructions. Numbers convert.
class Expr {
 public:
  /// A number, which becomes a constant of the program.
  Expr(double constant) : constant_(constant) {}
  /// A value of a builder.
  Expr(ProgramBuilder* builder, uint16_t value) : builder_(builder), value_(value) {}

 private:
  friend class ProgramBuilder;
  ProgramBuilder* builder_ = nullptr;
  uint16_t value_ = 0;
  double constant_ = 0;
};

/// @{
/// Appends `op` to the program that the operands belong to. At least one must belong to one.
Expr apply(Opcode op, Expr a);
Expr apply(Opcode op, Expr a, Expr b);
Expr apply(Opcode op, Expr a, Expr b, Expr c);
/// @}

/// The operations of opcodes.inc on expressions: expr::exp(x), expr::select(c, x, y), ...
namespace expr {
#define CORNU_ROW(name, ...) \
  inline Expr name(auto... operands) { return apply(Opcode::name, Expr(operands)...); }
#include "opcodes.inc"
#undef CORNU_ROW
}  // namespace expr

/// @{
/// The operation of that name in opcodes.inc.
inline Expr operator+(Expr a, Expr b) { return apply(Opcode::add, a, b); }
inline Expr operator-(Expr a, Expr b) { return apply(Opcode::subtract, a, b); }
inline Expr operator*(Expr a, Expr b) { return apply(Opcode::multiply, a, b); }
inline Expr operator/(Expr a, Expr b) { return apply(Opcode::true_divide, a, b); }
inline Expr operator-(Expr a) { return apply(Opcode::negative, a); }
inline Expr operator<(Expr a, Expr b) { return apply(Opcode::less, a, b); }
inline Expr operator<=(Expr a, Expr b) { return apply(Opcode::less_equal, a, b); }
inline Expr operator>(Expr a, Expr b) { return apply(Opcode::greater, a, b); }
inline Expr operator>=(Expr a, Expr b) { return apply(Opcode::greater_equal, a, b); }
/// @}

/// Collects instructions. Equal instructions are made once, operations that change nothing (x * 1,
/// x - 0, x / 1, identity, ...) give their operand, and `finish` drops what no output needs.
class ProgramBuilder {
 public:
  /// Begins a program of so many inputs.
  explicit ProgramBuilder(int inputs);
  Expr input(int index) { return Expr(this, static_cast<uint16_t>(index)); }  ///< from 0
  /// A constant; equal ones share a value number.
  Expr constant(double value);
  /// The result of `op`, perhaps without a new instruction.
  Expr append(Opcode op, std::initializer_list<Expr> operands);
  /// The program with these outputs. The builder is used up.
  ProgramRef finish(const std::vector<Expr>& outputs);
  /// The builder that the operands belong to. Throws ValueError when all are plain numbers.
  static ProgramBuilder& of(Opcode op, std::initializer_list<Expr> operands);

 private:
  friend class Program;
  uint16_t value_of(const Expr& e);
  const double* constant_at(uint16_t value) const;
  /// The value that `op` on these operands equals without an instruction, or -1.
  int fold(Opcode op, const uint16_t* operands);

  int inputs_;
  std::vector<double> constants_;
  std::vector<Instruction> instructions_;
};

/// An immutable elementwise program.
class Program {
 public:
  int inputs() const { return inputs_; }  ///< number of inputs
  const std::vector<double>& constants() const {
    return constants_;
  }  ///< by value number behind the inputs
  const std::vector<Instruction>& instructions() const {
    return instructions_;
  }  ///< in order of execution
  /// Value numbers of the results.
  const std::vector<uint16_t>& outputs() const { return outputs_; }

  /// The instructions as steps, ordered by their last members.
  const std::vector<Step>& steps() const { return steps_; }
  /// Scratch register of each instruction's result. A register is used again after its value's last
  /// reader, which may write its own result over it; values that are outputs keep theirs to the
  /// end.
  const std::vector<uint16_t>& registers() const { return registers_; }
  int register_count() const { return register_count_; }  ///< registers that a run needs

  /// Builds a program from a function of the inputs: one Expr, or a vector of them for many
  /// outputs.
  static ProgramRef make(int inputs, const std::function<std::vector<Expr>(std::vector<Expr>)>& f);

  /// The derivative of this program as a program. Its inputs are this one's inputs, then its
  /// outputs, then the gradient of each output; its outputs are the gradients of the inputs whose
  /// bit in `wanted` is set, in order. Made once per `wanted` and kept.
  ProgramRef derivative(uint32_t wanted) const;
  /// Whether the gradient of input `index` is zero everywhere (say, of a comparison).
  bool is_constant_in(int index) const;
  /// Whether input `index` is read at all.
  bool reads(int index) const { return reads_[static_cast<size_t>(index)] != 0; }
  /// Number of the input that output `index` merely passes on, or -1.
  int passes(int index) const;

  /// For debugging and for generated kernels: one instruction a line.
  std::string str() const;

  /// Two programs are equal when they compute the same thing in the same way.
  friend bool operator==(const Program& a, const Program& b);
  size_t hash() const { return hash_; }  ///< equal for equal programs

 private:
  friend class ProgramBuilder;
  Program() = default;
  void plan();
  void find_steps();
  void assign_registers();

  int inputs_ = 0;
  std::vector<double> constants_;
  std::vector<Instruction> instructions_;
  std::vector<uint16_t> outputs_;
  std::vector<char> reads_;
  std::vector<Step> steps_;
  std::vector<uint16_t> registers_;
  int register_count_ = 0;
  size_t hash_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<uint32_t, ProgramRef>> derivatives_;
};

/// The program of a single opcode, made once.
const ProgramRef& program_of(Opcode op);

}  // namespace cornu::backend
