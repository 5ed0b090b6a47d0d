// Which instructions of the machine's CPU are used.
#pragma once

namespace cornu::backend::cpu {

/// Applies the environment's CORNU_MAX_CPU_ISA, "avx2" or "baseline", to Cornu's own loops and to
/// oneDNN: what another machine would run. Called before either is asked for anything. Throws
/// ValueError for another word.
void limit_instructions();

/// "AVX-512", "AVX2" or "baseline": the best that Cornu's own loops use.
const char* instruction_set();

}  // namespace cornu::backend::cpu
