// The inner loops of the CPU's elementwise programs and reductions: functions over one tile of
// elements of a compute type, for the best instruction set of this machine.
#pragma once
#include <cstdint>

#include "../program.h"

namespace cornu::backend::cpu {

/// out[i] = op(a[i], b[i], c[i]) for i < n. Operands that the operation does not have are ignored;
/// `out` may be one of the operands.
using ElementwiseTile = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n);

/// out[i] = ((a[i] op1 b[i]) op2 c[i]) op3 d[i]; each rounds as it would alone.
using ChainTile = void (*)(const void* a, const void* b, const void* c, const void* d, void* out,
                           int64_t n);

/// How a chain goes on: with the result so far on the left, or (reversed_...) on the right.
enum class Link : uint8_t {
  add,
  subtract,
  reversed_subtract,
  multiply,
  divide,
  reversed_divide,
  none
};

/// accumulators[r] = combine(accumulators[r], x[r * length .. (r + 1) * length)) for r < rows. Sums
/// and products of float32 accumulate in float64, all else in the compute type.
using RowsTile = void (*)(const void* x, int64_t rows, int64_t length, void* accumulators);

enum class Combine : uint8_t { sum, product, maximum, minimum };

struct TileKernels {
  /// Null where the compute type has no such operation (sin of integers, bitwise of floats).
  ElementwiseTile elementwise[opcode_count];
  RowsTile rows[4];
  /// By the first operation (add, subtract, multiply) and the links after it; null for integers.
  ChainTile chains[3][6][7];
};

/// The loops for a compute type: float32, float64, int32, int64 or uint64. Throws ValueError
/// otherwise.
const TileKernels& tile_kernels(DType compute);

const TileKernels& float32_kernels();
const TileKernels& float64_kernels();
const TileKernels& int32_kernels();
const TileKernels& int64_kernels();
const TileKernels& uint64_kernels();

}  // namespace cornu::backend::cpu
