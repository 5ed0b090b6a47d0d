// The rows of opcodes.inc as data, and the program of each single opcode.
#include <array>

#include "program.h"

namespace cornu::backend {

const OpcodeInfo& info(Opcode op) {
  static constexpr OpcodeInfo rows[] = {
#define CORNU_ROW(name, keras, arity, domain, expression, ...) \
  {#name, keras, arity, Domain::domain, #expression},
#include "opcodes.inc"
#undef CORNU_ROW
  };
  return rows[static_cast<int>(op)];
}

const ProgramRef& program_of(Opcode op) {
  // All are made on the first call; the initialization of a local static is thread-safe.
  static const std::array<ProgramRef, opcode_count> programs = [] {
    std::array<ProgramRef, opcode_count> made;
    for (int i = 0; i < opcode_count; ++i) {
      const Opcode each = static_cast<Opcode>(i);
      const int arity = info(each).arity;
      ProgramBuilder builder(arity);
      const Expr a = builder.input(0), b = builder.input(arity > 1 ? 1 : 0),
                 c = builder.input(arity > 2 ? 2 : 0);
      const Expr result = arity == 1   ? builder.append(each, {a})
                          : arity == 2 ? builder.append(each, {a, b})
                                       : builder.append(each, {a, b, c});
      made[i] = builder.finish({result});
    }
    return made;
  }();
  return programs[static_cast<int>(op)];
}

}  // namespace cornu::backend
