// Instruction sets that the per-target sources are compiled for; include before any Highway header.
// Four-lane SSE is left to the portable baseline: machines without AVX2 are rare, and every target
// costs compile time.
#pragma once
#include <hwy/detect_targets.h>
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
