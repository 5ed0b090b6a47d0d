// Tile loops of compute type float32.
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/tile_kernels_float32.cpp"
#include <hwy/foreach_target.h>

#include "tile_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu::HWY_NAMESPACE {
const TileKernels& float32_tiles() { return kernels_of<float>(); }
}  // namespace cornu::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
HWY_EXPORT(float32_tiles);
const TileKernels& float32_kernels() {
  static const TileKernels& kernels = HWY_DYNAMIC_DISPATCH(float32_tiles)();
  return kernels;
}
}  // namespace cornu::backend::cpu
#endif
