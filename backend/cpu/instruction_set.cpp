// Highway and oneDNN each choose instructions for themselves; this speaks to both.
#include "instruction_set.h"

#include <cstdlib>
#include <dnnl.hpp>
#include <string>

#include <hwy/targets.h>
#include "../error.h"
#include "targets.h"

namespace cornu::backend::cpu {

void limit_instructions() {
  const char* const value = std::getenv("CORNU_MAX_CPU_ISA");
  const std::string limit = value ? value : "";
  if (limit.empty()) return;
  if (limit != "avx2" && limit != "baseline")
    throw ValueError("CORNU_MAX_CPU_ISA: expected avx2 or baseline, found '" + limit +
                     "'. Unset it to use all that the CPU has.");
#if HWY_ARCH_X86
  // Of two targets the better one has the lower bit.
  hwy::DisableTargets(limit == "avx2" ? HWY_AVX2 - 1 : 2 * HWY_AVX2 - 1);
  dnnl::set_max_cpu_isa(limit == "avx2" ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41);
#endif
}

const char* instruction_set() {
#if HWY_ARCH_X86
  const int64_t targets = hwy::SupportedTargets();
  if (targets & (HWY_AVX2 - 1)) return "AVX-512";
  if (targets & HWY_AVX2) return "AVX2";
#endif
  return "baseline";
}

}  // namespace cornu::backend::cpu
