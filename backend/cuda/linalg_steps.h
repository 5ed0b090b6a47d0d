// Decompositions of row-major matrices as steps of a device: kernels that arrange them, and
// routines of a library of column-major matrices. Nothing here is the library's own.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "context.h"

namespace cornu::backend::cuda {

enum class MatrixRoutine : uint8_t { potrf, getrf, getrs, geqrf, orgqr, syevd, gesvd, trsm };

/// What LAPACK and BLAS call so, for one column-major matrix without gaps (`rows`, `columns`) of
/// float32 or float64. Operands in order, all in the device's memory; `info` is an int32:
/// potrf: a, info. Of a symmetric matrix the upper factor, into the upper triangle.
/// getrf: a, pivots (int64, from 1), info.
/// getrs: what getrf gave as a, pivots; b (rows, count), info. Solves a' x = b (transposed) in b.
/// geqrf: a, factors, info.
/// orgqr: what geqrf gave as a, factors, info; `count` reflections make the columns of q in a.
/// syevd: a, values, info. The vectors into a, whose upper triangle is read.
/// gesvd: a, s, u (rows, rows if `full`, else columns), v' (columns, columns), info. Not fewer rows
///        than columns; a is lost.
/// trsm:  a, b (count, columns). Solves x a = b in b; a is upper triangular if `upper`, else lower.
struct MatrixCall {
  MatrixRoutine routine = MatrixRoutine::potrf;
  DType dtype = DType::float32;
  int64_t rows = 0, columns = 0, count = 0;
  bool full = false;
  bool upper = false;
};

/// A call made ready.
struct MatrixWork {
  size_t workspace = 0;  ///< bytes of the device's memory that it wants
  /// Begins it with operands at these addresses, on the device's stream.
  std::function<void(void* const* data, void* workspace)> run;
};
using MatrixLibrary = std::function<MatrixWork(const MatrixCall&)>;

/// A Linalg kernel made ready, by `library` and by kernels of `context`. Its scratch memory is
/// taken in each run and given back. A matrix with a NaN goes into the library as zeros, and comes
/// out as NaN; a triangular system is left to arithmetic.
std::unique_ptr<Executable> linalg_steps(const Linalg& kernel, std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, Context& context,
                                         const MatrixLibrary& library);

}  // namespace cornu::backend::cuda
