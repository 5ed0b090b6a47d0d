// How a row-major Matmul looks to a library of column-major products: pure functions of shapes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "../kernel.h"

namespace cornu::backend::cuda {

/// A matrix in column-major memory: element (i, j) at i + j * leading.
struct ColumnMatrix {
  int64_t rows = 0, columns = 0, leading = 0;
  bool transposed = false;   ///< the product takes its transpose
  int64_t batch_stride = 0;  ///< elements between the matrices of a batch; 0: one for all
  friend bool operator==(const ColumnMatrix&, const ColumnMatrix&) = default;
};

/// Where one call of the library starts, in elements.
struct MatmulOffsets {
  int64_t first = 0, second = 0, result = 0;
  friend bool operator==(const MatmulOffsets&, const MatmulOffsets&) = default;
};

/// out (m, n) = a b, row by row, is out' (n, m) = b' a', column by column, in the same memory: so
/// the first factor is b, the second is a, and a bias (n) runs along the result's rows.
struct MatmulLayout {
  ColumnMatrix first, second, result;
  int64_t depth = 0;
  int64_t batch = 1;                 ///< matrices per call, at the batch strides
  std::vector<MatmulOffsets> calls;  ///< for what has no uniform stride; one when all has
};

/// The layout for shapes a, b and out of a Matmul. Batch axes that both operands have, or both lack
/// alike, are one; where b has no batch and a is not transposed, a's batch becomes rows. None when
/// a size is 0 or the calls would be more than `most_calls`.
std::optional<MatmulLayout> matmul_layout(const Matmul& matmul, const Shape& a, const Shape& b,
                                          const Shape& out, int64_t most_calls = 1024);

/// The largest power of two, up to 16, that divides all addresses which the calls make of addresses
/// that are multiples of 16. In bytes, as are the sizes of a factor's and of a result's elements.
int matmul_alignment(const MatmulLayout& layout, size_t factor, size_t result);

}  // namespace cornu::backend::cuda
