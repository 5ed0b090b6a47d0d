// The tile loops of each compute type.
#include "tile_kernels.h"

#include <string>

#include "../error.h"

namespace cornu::backend::cpu {

const TileKernels& tile_kernels(DType compute) {
  switch (compute) {
    case DType::float32:
      return float32_kernels();
    case DType::float64:
      return float64_kernels();
    case DType::int32:
      return int32_kernels();
    case DType::int64:
      return int64_kernels();
    case DType::uint64:
      return uint64_kernels();
    default:
      throw ValueError(
          "Fused: expected compute type float32, float64, int32, int64 or uint64, found " +
          std::string(dtype_name(compute)) + ". Choose one that holds the operands.");
  }
}

}  // namespace cornu::backend::cpu
