// Normalisation of channels or rows, forwards and backwards: one pass over memory for the sums, one
// to write.
//
// Channels: sums of float32 are taken in float32 over chunks of up to 64 (merged, see Channels)
// rows, with the chunk's first row subtracted, and are put together in double. Of a chunk's
// variance at most 64 units of rounding are lost that way, however far the mean is from 0.
#include <algorithm>
#include <cmath>

#include "interpreter.h"
#include "normalize_loops.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

constexpr int64_t max_width = 512;     // columns at once
constexpr int64_t merged_width = 128;  // narrower rows are merged up to this width
constexpr int64_t group_rows = 8;      // converted at once
constexpr int64_t chunk_rows = 64;     // between two additions in double
constexpr int64_t part_elements = 32 * 1024;
constexpr int64_t max_parts = 32;

template <class T>
constexpr DType dtype_of = sizeof(T) == 8 ? DType::float64 : DType::float32;

/// Memory of this thread for sums and coefficients, kept between calls.
Frame& sums_frame() {
  static thread_local Frame frame;
  return frame;
}

/// Hands out pieces of memory, each a multiple of 64 bytes.
struct Pieces {
  char* next;
  template <class U>
  static size_t bytes(int64_t count) {
    return (static_cast<size_t>(count) * sizeof(U) + 63) / 64 * 64;
  }
  template <class U>
  U* take(int64_t count) {
    U* piece = reinterpret_cast<U*>(next);
    next += bytes<U>(count);
    return piece;
  }
};

/// An operand as the loops see it: elements of T, in place or converted into a buffer.
template <class T>
struct Source {
  const char* data = nullptr;
  int64_t bytes = 0;
  ConvertTile convert = nullptr;

  explicit Source(const Operand& operand)
      : data(static_cast<const char*>(operand.data)),
        bytes(static_cast<int64_t>(size_of(operand.dtype))),
        convert(operand.dtype == dtype_of<T> ? nullptr : convert_tile(operand.dtype, dtype_of<T>)) {
  }
  RowsOf<const T> rows(int64_t offset, int64_t rows, int64_t width, int64_t stride,
                       T* buffer) const {
    const char* from = data + offset * bytes;
    if (!convert) return {reinterpret_cast<const T*>(from), stride};
    if (stride == width)
      convert(from, buffer, rows * width);
    else
      for (int64_t r = 0; r < rows; ++r)
        convert(from + r * stride * bytes, buffer + r * width, width);
    return {buffer, width};
  }
};

/// A result, likewise: rows() says where to compute it, store() moves it where it belongs.
template <class T>
struct Target {
  char* data;
  int64_t bytes;
  ConvertTile convert;

  explicit Target(const Operand& operand)
      : data(static_cast<char*>(operand.data)),
        bytes(static_cast<int64_t>(size_of(operand.dtype))),
        convert(operand.dtype == dtype_of<T> ? nullptr : convert_tile(dtype_of<T>, operand.dtype)) {
  }
  RowsOf<T> rows(int64_t offset, int64_t width, int64_t stride, T* buffer) const {
    if (convert) return {buffer, width};
    return {reinterpret_cast<T*>(data + offset * bytes), stride};
  }
  void store(int64_t offset, int64_t rows, int64_t width, int64_t stride, const T* buffer) const {
    if (!convert) return;
    if (stride == width)
      convert(buffer, data + offset * bytes, rows * width);
    else
      for (int64_t r = 0; r < rows; ++r)
        convert(buffer + r * width, data + (offset + r * stride) * bytes, width);
  }
};

void write_vector(const double* values, int64_t n, const Operand& out) {
  if (out.dtype == DType::float64)
    std::copy_n(values, n, static_cast<double*>(out.data));
  else
    convert_tile(DType::float64, out.dtype)(values, out.data, n);
}

/// The vector in double; a null operand is `otherwise` everywhere.
void read_vector(const Operand* operand, double otherwise, int64_t n, double* values) {
  if (!operand)
    std::fill_n(values, n, otherwise);
  else if (operand->dtype == DType::float64)
    std::copy_n(static_cast<const double*>(operand->data), n, values);
  else
    convert_tile(operand->dtype, DType::float64)(operand->data, values, n);
}

/// Channels as columns of a table, in tiles of columns and parts of rows, which are the units of
/// work. Without blocks a tile is up to max_width columns of (rows, c); with blocks it is a block,
/// whose rows stand in a segment for each sample. Narrow rows that are neighbours in memory are
/// merged: one row of several repetitions of the columns.
struct Channels {
  int64_t c, count, segments = 1, rows, width, stride;
  int64_t segment_stride = 0, tile_stride, tiles, parts, merged;

  Channels(const Shape& x, int64_t block) {
    const int64_t numel = x.numel();
    c = block ? x[1] * block : x.back();
    count = c ? numel / c : 0;
    if (block) {
      segments = x[0];
      rows = segments ? count / segments : 0;
      width = stride = block;
      tiles = c / block;
      tile_stride = rows * block;
      segment_stride = rows * c;
    } else {
      rows = count;
      width = tile_stride = std::min(c, max_width);
      stride = c;
      tiles = (c + max_width - 1) / max_width;
    }
    merged = stride == width && width < merged_width ? merged_width / width : 1;
    parts = std::max<int64_t>(
        1, std::min({numel / part_elements / tiles, count / (chunk_rows * merged), max_parts}));
  }

  int64_t numel() const { return c * count; }
  int64_t units() const { return tiles * parts; }
  int64_t part_begin(int64_t part) const { return count * part / parts; }
  int64_t tile_width(int64_t tile) const { return std::min(width, c - tile * width); }

  /// Calls f(offset, n) for the chunks of a unit.
  template <class F>
  void for_chunks(int64_t tile, int64_t part, F f) const {
    for (int64_t row = part_begin(part), end = part_begin(part + 1); row < end;) {
      const int64_t segment = row / rows, inside = row % rows;
      const int64_t n = std::min({rows - inside, end - row, chunk_rows * merged});
      f(segment * segment_stride + tile * tile_stride + inside * stride, n);
      row += n;
    }
  }

  /// Calls f(offset, rows, width, stride) for the groups of merged rows of a chunk of n rows. The
  /// last may be less than one merged row.
  template <class F>
  void for_groups(int64_t offset, int64_t n, int64_t columns, F f) const {
    const int64_t wide = columns * merged, step = merged > 1 ? wide : stride, full = n / merged;
    for (int64_t r = 0; r < full; r += group_rows)
      f(offset + r * step, std::min(group_rows, full - r), wide, step);
    if (const int64_t rest = n % merged) f(offset + full * step, 1, rest * columns, rest * columns);
  }

  /// Repeats `columns` values for merged rows.
  template <class T>
  void repeat(T* values, int64_t columns, int64_t times) const {
    for (int64_t i = columns; i < columns * times; ++i) values[i] = values[i - columns];
  }
  /// Adds up the repetitions.
  template <class T>
  void fold(T* sums, int64_t columns, int64_t times) const {
    for (int64_t k = 1; k < times; ++k)
      for (int64_t j = 0; j < columns; ++j) sums[j] += sums[k * columns + j];
  }
};

/// Buffers of one unit of work.
template <class T>
struct UnitBuffers {
  alignas(64) T first[max_width];
  alignas(64) T sums[max_width];
  alignas(64) T squares[max_width];
  alignas(64) T x[group_rows * max_width];
  alignas(64) T dy[group_rows * max_width];
};

/// Mean and sum of squared deviations of a unit's columns.
template <class T>
void unit_moments(const Channels& g, const Source<T>& x, int64_t tile, int64_t part, bool centered,
                  double* mean, double* deviations) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t columns = g.tile_width(tile);
  UnitBuffers<T> b;
  std::fill_n(mean, columns, 0.0);
  std::fill_n(deviations, columns, 0.0);
  double before = 0;
  g.for_chunks(tile, part, [&](int64_t offset, int64_t n) {
    const int64_t times = std::min(g.merged, n);
    if (!centered) {
      std::fill_n(b.first, columns * times, T(0));
    } else {
      // The mean of the first merged row.
      const T* first = x.rows(offset, 1, columns * times, columns * times, b.x).data;
      std::copy_n(first, columns * times, b.first);
      if (times > 1) {
        g.fold(b.first, columns, times);
        for (int64_t j = 0; j < columns; ++j) b.first[j] *= T(1) / static_cast<T>(times);
        g.repeat(b.first, columns, times);
      }
    }
    std::fill_n(b.sums, columns * times, T(0));
    std::fill_n(b.squares, columns * times, T(0));
    g.for_groups(offset, n, columns, [&](int64_t at, int64_t rows, int64_t wide, int64_t stride) {
      loops.moments(x.rows(at, rows, wide, stride, b.x), rows, wide, b.first, b.sums, b.squares);
    });
    g.fold(b.sums, columns, times);
    g.fold(b.squares, columns, times);
    const double count = static_cast<double>(n);
    if (centered)
      loops.merge(b.first, b.sums, b.squares, columns, count, before, mean, deviations);
    else
      for (int64_t j = 0; j < columns; ++j) deviations[j] += static_cast<double>(b.squares[j]);
    before += count;
  });
}

template <class T>
void channels_forward(const Normalize& kernel, Operands inputs, Operands outputs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const Channels g(*inputs[0].shape, kernel.block);
  const int64_t c = g.c, work = g.numel() * 2;
  if (c == 0) return;
  const Source<T> x(inputs[0]);
  const Target<T> y(outputs[0]);
  Frame& memory = sums_frame();
  memory.reserve(Pieces::bytes<double>(c) * static_cast<size_t>(2 * g.parts + 3) +
                 Pieces::bytes<T>(c) * 3);
  Pieces pieces{memory.scratch};
  double* means = pieces.take<double>(c * g.parts);
  double* deviations = pieces.take<double>(c * g.parts);
  double* inverse = pieces.take<double>(c);
  double* scale = pieces.take<double>(c);
  double* offset = pieces.take<double>(c);
  T* mean = pieces.take<T>(c);
  T* factor = pieces.take<T>(c);
  T* constant = pieces.take<T>(c);

  parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t tile = unit % g.tiles, part = unit / g.tiles, at = part * c + tile * g.width;
      unit_moments(g, x, tile, part, kernel.centered, means + at, deviations + at);
    }
  });
  for (int64_t part = 1; part < g.parts; ++part) {
    const double before = static_cast<double>(g.part_begin(part));
    const double after = static_cast<double>(g.part_begin(part + 1)), share = 1 - before / after;
    const double *more = means + part * c, *squares = deviations + part * c;
    for (int64_t j = 0; j < c; ++j) {
      const double delta = more[j] - means[j];
      means[j] += delta * share;
      deviations[j] += squares[j] + delta * delta * before * share;
    }
  }
  for (int64_t j = 0; j < c; ++j)
    inverse[j] = deviations[j] /= static_cast<double>(g.count);  // of nothing: NaN, as the mean
  if (g.count == 0) std::fill_n(means, c, NAN);
  write_vector(means, c, outputs[1]);
  write_vector(deviations, c, outputs[2]);
  inverse_roots(inverse, c, kernel.epsilon);
  read_vector(kernel.scale ? &inputs[1] : nullptr, 1, c, scale);
  read_vector(kernel.offset ? &inputs[kernel.scale ? 2 : 1] : nullptr, 0, c, offset);
  for (int64_t j = 0; j < c; ++j) {
    mean[j] = static_cast<T>(means[j]);
    factor[j] = static_cast<T>(inverse[j] * scale[j]);
    constant[j] = static_cast<T>(offset[j]);
  }

  parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
    alignas(64) T m[max_width], a[max_width], k[max_width], buffer[group_rows * max_width];
    for (int64_t unit = end; unit-- > begin;) {  // backwards: the caches hold the end of x
      const int64_t tile = unit % g.tiles, part = unit / g.tiles, columns = g.tile_width(tile);
      const int64_t times = std::min(g.merged, g.count);
      for (auto [to, from] : {std::pair{m, mean}, {a, factor}, {k, constant}}) {
        std::copy_n(from + tile * g.width, columns, to);
        g.repeat(to, columns, times);
      }
      g.for_chunks(tile, part, [&](int64_t start, int64_t n) {
        g.for_groups(start, n, columns, [&](int64_t at, int64_t rows, int64_t wide, int64_t step) {
          loops.transform(x.rows(at, rows, wide, step, buffer), y.rows(at, wide, step, buffer),
                          rows, wide, m, a, k);
          y.store(at, rows, wide, step, buffer);
        });
      });
    }
  });
}

/// Sums of dy and of dy (x - mean) over a unit's columns; `mean` is repeated for merged rows.
template <class T>
void unit_products(const Channels& g, const Source<T>& x, const Source<T>& dy, int64_t tile,
                   int64_t part, const T* mean, double* sums, double* products) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t columns = g.tile_width(tile);
  UnitBuffers<T> b;
  std::fill_n(sums, columns, 0.0);
  std::fill_n(products, columns, 0.0);
  g.for_chunks(tile, part, [&](int64_t offset, int64_t n) {
    const int64_t times = std::min(g.merged, n);
    std::fill_n(b.sums, columns * times, T(0));
    std::fill_n(b.squares, columns * times, T(0));
    g.for_groups(offset, n, columns, [&](int64_t at, int64_t rows, int64_t wide, int64_t stride) {
      loops.products(x.rows(at, rows, wide, stride, b.x), dy.rows(at, rows, wide, stride, b.dy),
                     rows, wide, mean, b.sums, b.squares);
    });
    g.fold(b.sums, columns, times);
    g.fold(b.squares, columns, times);
    for (int64_t j = 0; j < columns; ++j) {
      sums[j] += static_cast<double>(b.sums[j]);
      products[j] += static_cast<double>(b.squares[j]);
    }
  });
}

template <class T>
void channels_backward(const Normalize& kernel, Operands inputs, Operands outputs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const Channels g(*inputs[0].shape, kernel.block);
  const int64_t c = g.c, work = g.numel() * 3;
  if (c == 0) return;
  const Source<T> x(inputs[0]), dy(inputs[3]);
  const Target<T> dx(outputs[0]);
  Frame& memory = sums_frame();
  memory.reserve(Pieces::bytes<double>(c) * static_cast<size_t>(2 * g.parts + 2) +
                 Pieces::bytes<T>(c) * 4);
  Pieces pieces{memory.scratch};
  double* sums = pieces.take<double>(c * g.parts);
  double* products = pieces.take<double>(c * g.parts);
  double* inverse = pieces.take<double>(c);
  double* scale = pieces.take<double>(c);
  T* mean = pieces.take<T>(c);
  T* slope = pieces.take<T>(c);
  T* factor = pieces.take<T>(c);
  T* constant = pieces.take<T>(c);

  read_vector(&inputs[1], 0, c, scale);
  for (int64_t j = 0; j < c; ++j) mean[j] = static_cast<T>(scale[j]);
  read_vector(&inputs[2], 0, c, inverse);
  inverse_roots(inverse, c, kernel.epsilon);
  read_vector(kernel.scale ? &inputs[4] : nullptr, 1, c, scale);

  const int64_t times = std::min(g.merged, g.count);
  auto spread = [&](const T* from, int64_t tile, T* to) {
    std::copy_n(from + tile * g.width, g.tile_width(tile), to);
    g.repeat(to, g.tile_width(tile), times);
  };
  parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
    alignas(64) T m[max_width];
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t tile = unit % g.tiles, part = unit / g.tiles, at = part * c + tile * g.width;
      spread(mean, tile, m);
      unit_products(g, x, dy, tile, part, m, sums + at, products + at);
    }
  });
  for (int64_t i = c; i < c * g.parts; ++i) {
    sums[i % c] += sums[i];
    products[i % c] += products[i];
  }
  const double each = 1 / static_cast<double>(g.count);
  for (int64_t j = 0; j < c; ++j) {
    const double v = inverse[j], a = v * scale[j];
    products[j] *= v;  // now the sum of dy times the normalised x: the gradient of scale
    slope[j] = static_cast<T>(-a * v * products[j] * each);
    factor[j] = static_cast<T>(a);
    constant[j] = static_cast<T>(kernel.centered ? -a * sums[j] * each : 0);
  }
  if (kernel.scale) write_vector(products, c, outputs[1]);
  if (kernel.offset) write_vector(sums, c, outputs[kernel.scale ? 2 : 1]);

  parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
    alignas(64) T m[max_width], s[max_width], a[max_width], k[max_width];
    alignas(64) T some[group_rows * max_width], more[group_rows * max_width];
    for (int64_t unit = end; unit-- > begin;) {  // backwards: the caches hold the end of x and dy
      const int64_t tile = unit % g.tiles, part = unit / g.tiles, columns = g.tile_width(tile);
      spread(mean, tile, m);
      spread(slope, tile, s);
      spread(factor, tile, a);
      spread(constant, tile, k);
      g.for_chunks(tile, part, [&](int64_t start, int64_t n) {
        g.for_groups(start, n, columns, [&](int64_t at, int64_t rows, int64_t wide, int64_t step) {
          loops.derive(x.rows(at, rows, wide, step, some), dy.rows(at, rows, wide, step, more),
                       dx.rows(at, wide, step, some), rows, wide, m, s, a, k);
          dx.store(at, rows, wide, step, some);
        });
      });
    }
  });
}

/// A vector of the row's length as T, converted into `buffer` if need be.
template <class T>
const T* row_vector(const Operand& operand, int64_t n, T* buffer) {
  return Source<T>(operand).rows(0, 1, n, n, buffer).data;
}

template <class T>
void rows_forward(const Normalize& kernel, Operands inputs, Operands outputs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t n = inputs[0].shape->back(), count = outputs[1].shape->numel();
  if (count == 0) return;
  const Source<T> x(inputs[0]);
  const Target<T> y(outputs[0]);
  const bool mean_fits = outputs[1].dtype == dtype_of<T> && outputs[2].dtype == dtype_of<T>;
  const ConvertTile store_mean = mean_fits ? nullptr : convert_tile(dtype_of<T>, outputs[1].dtype);
  const ConvertTile store_variance =
      mean_fits ? nullptr : convert_tile(dtype_of<T>, outputs[2].dtype);
  parallel_for(count, count * n * 4, [&](int64_t begin, int64_t end) {
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
      loops.row_moments(from, n, kernel.centered, &mean, &variance);
      variance /= static_cast<double>(n);
      loops.row_transform(from, y.rows(r * n, n, n, buffer).data, n, static_cast<T>(mean),
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
void rows_backward(const Normalize& kernel, Operands inputs, Operands outputs) {
  const NormalizeLoops<T>& loops = normalize_loops<T>();
  const int64_t n = inputs[0].shape->back(), count = inputs[1].shape->numel();
  const Source<T> x(inputs[0]), means(inputs[1]), variances(inputs[2]), dy(inputs[3]);
  const Target<T> dx(outputs[0]);
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
  parallel_for(parts, count * n * 6, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) run_part(part);
  });
  for (double* each : {scale_sums, offset_sums})
    for (int64_t part = 1; each && part < parts; ++part)
      for (int64_t j = 0; j < n; ++j) each[j] += each[part * n + j];
  if (kernel.scale) write_vector(scale_sums, n, outputs[1]);
  if (kernel.offset) write_vector(offset_sums, n, outputs[kernel.scale ? 2 : 1]);
}

template <class T>
void run_as(const Normalize& kernel, Operands inputs, Operands outputs) {
  if (kernel.channels)
    kernel.backward ? channels_backward<T>(kernel, inputs, outputs)
                    : channels_forward<T>(kernel, inputs, outputs);
  else
    kernel.backward ? rows_backward<T>(kernel, inputs, outputs)
                    : rows_forward<T>(kernel, inputs, outputs);
}

}  // namespace

void run(const Normalize& kernel, Operands inputs, Operands outputs) {
  if (inputs[0].dtype == DType::float64)
    run_as<double>(kernel, inputs, outputs);
  else
    run_as<float>(kernel, inputs, outputs);
}

}  // namespace cornu::backend::cpu
