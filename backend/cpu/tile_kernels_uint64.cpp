// Tile loops of compute type uint64.
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/tile_kernels_uint64.cpp"
#include <hwy/foreach_target.h>

#include "tile_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu::HWY_NAMESPACE {
const TileKernels& uint64_tiles() { return kernels_of<uint64_t>(); }
}  // namespace cornu::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
HWY_EXPORT(uint64_tiles);
const TileKernels& uint64_kernels() {
  static const TileKernels& kernels = HWY_DYNAMIC_DISPATCH(uint64_tiles)();
  return kernels;
}
}  // namespace cornu::backend::cpu
#endif
