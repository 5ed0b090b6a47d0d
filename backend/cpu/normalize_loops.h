// The innermost loops of the Normalize kernel, compiled for each instruction set.
#pragma once
#include <cstdint>

namespace cornu::backend::cpu {

/// Rows that are `stride` elements apart.
template <class T>
struct RowsOf {
  T* data;
  int64_t stride;
};

/// Columns of coefficients or sums: vectors of whole width are read beyond their end, so their
/// memory is a multiple of 64 bytes. The tables' columns are not.
template <class T>
struct NormalizeLoops {
  int64_t lanes;  ///< of a vector

  // --- each column of a table of `rows` by `width` -------------------------------------------
  /// sums += x - shift, squares += (x - shift)^2.
  void (*moments)(RowsOf<const T> x, int64_t rows, int64_t width, const T* shift, T* sums,
                  T* squares);
  /// sums += dy, products += dy (x - mean).
  void (*products)(RowsOf<const T> x, RowsOf<const T> dy, int64_t rows, int64_t width,
                   const T* mean, T* sums, T* products);
  /// y = (x - mean) scale + offset.
  void (*transform)(RowsOf<const T> x, RowsOf<T> y, int64_t rows, int64_t width, const T* mean,
                    const T* scale, const T* offset);
  /// dx = (x - mean) slope + dy scale + offset.
  void (*derive)(RowsOf<const T> x, RowsOf<const T> dy, RowsOf<T> dx, int64_t rows, int64_t width,
                 const T* mean, const T* slope, const T* scale, const T* offset);
  /// Adds the moments of `count` rows, given as moments() sums them, to the mean and the sum of
  /// squared deviations of the `before` rows so far.
  void (*merge)(const T* shift, const T* sums, const T* squares, int64_t width, double count,
                double before, double* mean, double* deviations);

  // --- one row -------------------------------------------------------------------------------
  /// Mean and sum of squared deviations from it; not centered: 0 and the sum of squares.
  void (*row_moments)(const T* x, int64_t n, bool centered, double* mean, double* deviations);
  /// y = (x - mean) inverse scale + offset; scale and offset may be null.
  void (*row_transform)(const T* x, T* y, int64_t n, T mean, T inverse, const T* scale,
                        const T* offset);
  /// dx of a row, where `inverse` is 1 / sqrt(variance + epsilon). Adds to dscale and doffset
  /// unless they are null; so may be scale.
  void (*row_derive)(const T* x, const T* dy, T* dx, int64_t n, bool centered, T mean, T inverse,
                     const T* scale, T* dscale, T* doffset);
};

/// The loops for the best instruction set of this machine; T is float or double.
template <class T>
const NormalizeLoops<T>& normalize_loops();

/// x = 1 / sqrt(x + epsilon).
void inverse_roots(double* x, int64_t n, double epsilon);

}  // namespace cornu::backend::cpu
