// Normalization of rows.
#include <algorithm>
#include <cmath>

#include "normalize.h"
#include "normalize_operands.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

/// A vector of the row's length as T, converted into `buffer` if need be.
template <class T>
const T* row_vector(const Operand& operand, int64_t n, T* buffer) {
  return Source<T>(operand).rows(0, 1, n, n, buffer).data;
}

}  // namespace

template <class T>
void rows_forward(const Normalize& kernel, Operands inputs, Operands outputs,
                  const NormalizePrograms& programs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t n = inputs[0].shape->back(), count = outputs[1].shape->numel();
  if (count == 0) return;
  const Source<T> x(inputs[0], &programs);
  const Target<T> y(outputs[0], &programs);
  const bool mean_fits = outputs[1].dtype == dtype_of<T> && outputs[2].dtype == dtype_of<T>;
  const ConvertTile store_mean = mean_fits ? nullptr : convert_tile(dtype_of<T>, outputs[1].dtype);
  const ConvertTile store_variance =
      mean_fits ? nullptr : convert_tile(dtype_of<T>, outputs[2].dtype);
  parallel_for(count, count * n * 4 + programs.work(), [&](int64_t begin, int64_t end) {
    programs.start();
    Frame& frame = thread_frame();
    frame.reserve(Pieces::bytes<T>(n) * 3);
    Pieces pieces{frame.scratch};
    T* buffer = pieces.take<T>(n);
    const T* scale = kernel.scale ? row_vector(inputs[1], n, pieces.take<T>(n)) : nullptr;
    const T* offset =
        kernel.offset ? row_vector(inputs[kernel.scale ? 2 : 1], n, pieces.take<T>(n)) : nullptr;
    for (int64_t r = begin; r < end; ++r) {
      const T* from = x.rows(r * n, 1, n, n, buffer).data;
      double mean, variance;
      // The row is in the cache when it is read for the second time.
      loops.row_moments(from, n, kernel.centered, &mean, &variance);
      variance /= static_cast<double>(n);
      loops.row_transform(from, y.rows(r * n, n, n, buffer).data, n, static_cast<T>(mean),
                          // The root in float64: a small variance next to epsilon keeps its digits.
                          static_cast<T>(1 / std::sqrt(variance + kernel.epsilon)), scale, offset);
      y.store(r * n, 1, n, n, buffer);
      const T m = static_cast<T>(mean), v = static_cast<T>(variance);
      if (mean_fits) {
        static_cast<T*>(outputs[1].data)[r] = m;
        static_cast<T*>(outputs[2].data)[r] = v;
      } else {
        store_mean(&m, static_cast<char*>(outputs[1].data) + r * size_of(outputs[1].dtype), 1);
        store_variance(&v, static_cast<char*>(outputs[2].data) + r * size_of(outputs[2].dtype), 1);
      }
    }
  });
}

template <class T>
void rows_backward(const Normalize& kernel, Operands inputs, Operands outputs,
                   const NormalizePrograms& programs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t n = inputs[0].shape->back(), count = inputs[1].shape->numel();
  const Source<T> x(inputs[0]), means(inputs[1]), variances(inputs[2]), dy(inputs[3], &programs);
  const Target<T> dx(outputs[0], &programs);
  const bool sums = kernel.scale || kernel.offset;
  // Each part has sums of its own; where there are none, parts only share out the work.
  const int64_t parts = std::max<int64_t>(
      1, std::min({count * n / part_elements, sums ? count / 8 : count, max_parts}));
  Frame& memory = sums_frame();
  if (sums) memory.reserve(Pieces::bytes<double>(n * parts) * 2);
  Pieces totals{memory.scratch};
  double* scale_sums = sums ? totals.take<double>(n * parts) : nullptr;
  double* offset_sums = sums ? totals.take<double>(n * parts) : nullptr;
  if (sums) {
    std::fill_n(scale_sums, n * parts, 0.0);
    std::fill_n(offset_sums, n * parts, 0.0);
  }
  auto run_part = [&](int64_t part) {
    Frame& frame = thread_frame();
    frame.reserve(Pieces::bytes<T>(n) * 5);
    Pieces pieces{frame.scratch};
    T *some = pieces.take<T>(n), *more = pieces.take<T>(n);
    T* dscale = kernel.scale ? pieces.take<T>(n) : nullptr;
    T* doffset = kernel.offset ? pieces.take<T>(n) : nullptr;
    const T* scale = kernel.scale ? row_vector(inputs[4], n, pieces.take<T>(n)) : nullptr;
    const int64_t end = count * (part + 1) / parts;
    // Rows of a chunk add up in T, chunks in float64: fast, and with an error that does not grow
    // with the number of rows.
    for (int64_t begin = count * part / parts; begin < end; begin += chunk_rows) {
      if (dscale) std::fill_n(dscale, n, T(0));
      if (doffset) std::fill_n(doffset, n, T(0));
      for (int64_t r = begin; r < std::min(end, begin + chunk_rows); ++r) {
        T mean, variance;
        mean = *means.rows(r, 1, 1, 1, &mean).data;
        variance = *variances.rows(r, 1, 1, 1, &variance).data;
        const double inverse = 1 / std::sqrt(static_cast<double>(variance) + kernel.epsilon);
        loops.row_derive(x.rows(r * n, 1, n, n, some).data, dy.rows(r * n, 1, n, n, more).data,
                         dx.rows(r * n, n, n, some).data, n, kernel.centered, mean,
                         static_cast<T>(inverse), scale, dscale, doffset);
        dx.store(r * n, 1, n, n, some);
      }
      for (int64_t j = 0; dscale && j < n; ++j)
        scale_sums[part * n + j] += static_cast<double>(dscale[j]);
      for (int64_t j = 0; doffset && j < n; ++j)
        offset_sums[part * n + j] += static_cast<double>(doffset[j]);
    }
  };
  parallel_for(parts, count * n * 6 + programs.work(), [&](int64_t begin, int64_t end) {
    programs.start();
    for (int64_t part = begin; part < end; ++part) run_part(part);
  });
  for (double* each : {scale_sums, offset_sums})
    // In the order of the parts, which follows from the shape.
    for (int64_t part = 1; each && part < parts; ++part)
      for (int64_t j = 0; j < n; ++j) each[j] += each[part * n + j];
  if (kernel.scale) write_vector(scale_sums, n, outputs[1]);
  if (kernel.offset) write_vector(offset_sums, n, outputs[kernel.scale ? 2 : 1]);
}

template void rows_forward<float>(const Normalize&, Operands, Operands, const NormalizePrograms&);
template void rows_forward<double>(const Normalize&, Operands, Operands, const NormalizePrograms&);
template void rows_backward<float>(const Normalize&, Operands, Operands, const NormalizePrograms&);
template void rows_backward<double>(const Normalize&, Operands, Operands, const NormalizePrograms&);

}  // namespace cornu::backend::cpu
