// Normalization of channels.
//
// Sums of float32 are taken in float32 over chunks of up to 64 (merged, see Channels) rows, with
// the chunk's first row subtracted, and are put together in double. Of a chunk's variance at most
// 64 units of rounding are lost that way, however far the mean is from 0.
#include <algorithm>
#include <cmath>

#include "channel_tiles.h"
#include "normalize.h"
#include "normalize_operands.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

/// Buffers of one unit of work.
template <class T>
struct UnitBuffers {
  alignas(64) T first[max_width];
  alignas(64) T sums[max_width];
  alignas(64) T squares[max_width];
  alignas(64) T x[buffer_rows * max_width];
  alignas(64) T dy[buffer_rows * max_width];
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
    g.for_groups(offset, n, columns, true,
                 [&](int64_t at, int64_t rows, int64_t wide, int64_t stride) {
                   loops.moments(x.rows(at, rows, wide, stride, b.x), rows, wide, b.first, b.sums,
                                 b.squares);
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
    g.for_groups(
        offset, n, columns, true, [&](int64_t at, int64_t rows, int64_t wide, int64_t stride) {
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

/// What both directions have: where the kernel's columns lie, and vectors of coefficients.
template <class T>
class Pass {
 public:
  Pass(const Normalize& kernel, Operands inputs, Operands outputs,
       const NormalizePrograms& programs)
      : kernel_(kernel), g_(*inputs[0].shape, kernel.block) {
    const auto direct = [](const Operand& operand) { return operand.dtype == dtype_of<T>; };
    const bool converts =
        !direct(inputs[0]) || !direct(inputs[kernel.backward ? 3 : 0]) || !direct(outputs[0]);
    if (programs.any())  // which run over neighbors in memory
      g_.group_rows = g_.stride == g_.width ? buffer_rows : 1;
    else if (converts)
      g_.group_rows = buffer_rows;
  }
  const Channels& columns() const { return g_; }

 protected:
  static constexpr int64_t buffer_size = buffer_rows * max_width;

  /// Takes this thread's memory for `doubles` vectors of double and `narrow` ones of T.
  Pieces reserve(int64_t doubles, int64_t narrow) {
    Frame& memory = sums_frame();
    memory.reserve(Pieces::bytes<double>(g_.c) * static_cast<size_t>(doubles) +
                   Pieces::bytes<T>(g_.c) * static_cast<size_t>(narrow));
    return {memory.scratch};
  }
  /// Whether rows must be merged to fill vectors.
  bool merges(int64_t tile) const { return g_.tile_width(tile) % loops_.lanes != 0; }
  /// A tile's coefficients, repeated for merged rows.
  void spread(const T* from, int64_t tile, T* to) const {
    const int64_t columns = g_.tile_width(tile);
    std::copy_n(from + tile * g_.width, columns, to);
    g_.repeat(to, columns, std::min(g_.merged, g_.count));
  }

  const Normalize& kernel_;
  Channels g_;
  const NormalizeLoops<T>& loops_ = normalize_loops<T>();
};

template <class T>
class ForwardPass : public Pass<T> {
 public:
  ForwardPass(const Normalize& kernel, Operands inputs, Operands outputs,
              const NormalizePrograms& programs)
      : Pass<T>(kernel, inputs, outputs, programs),
        x_(inputs[0], &programs),
        y_(outputs[0], &programs),
        outputs_(outputs) {
    const int64_t c = g_.c;
    Pieces pieces = this->reserve(2 * g_.parts + 3, 3);
    means_ = pieces.take<double>(c * g_.parts);
    deviations_ = pieces.take<double>(c * g_.parts);
    inverse_ = pieces.take<double>(c);
    scale_ = pieces.take<double>(c);
    offset_ = pieces.take<double>(c);
    mean_ = pieces.take<T>(c);
    factor_ = pieces.take<T>(c);
    constant_ = pieces.take<T>(c);
    read_vector(kernel.scale ? &inputs[1] : nullptr, 1, c, scale_);
    read_vector(kernel.offset ? &inputs[kernel.scale ? 2 : 1] : nullptr, 0, c, offset_);
  }

  void sum(int64_t tile, int64_t part) {
    const int64_t at = part * g_.c + tile * g_.width;
    unit_moments(g_, x_, tile, part, kernel_.centered, means_ + at, deviations_ + at);
  }

  void finish(int64_t tile) {
    const int64_t first = tile * g_.width, end = first + g_.tile_width(tile);
    for (int64_t part = 1; part < g_.parts; ++part) {
      const double before = static_cast<double>(g_.part_begin(part));
      const double after = static_cast<double>(g_.part_begin(part + 1)),
                   fraction = 1 - before / after;
      const double *more = means_ + part * g_.c, *squares = deviations_ + part * g_.c;
      for (int64_t j = first; j < end; ++j) {
        // Chan, Golub and LeVeque's rule for joining two sets of moments (1983): no difference of
        // large squares, so no cancellation.
        const double delta = more[j] - means_[j];
        means_[j] += delta * fraction;
        deviations_[j] += squares[j] + delta * delta * before * fraction;
      }
    }
    for (int64_t j = first; j < end; ++j)  // of nothing: NaN, as the mean
      inverse_[j] = deviations_[j] /= static_cast<double>(g_.count);
    if (g_.count == 0) std::fill(means_ + first, means_ + end, NAN);
    // From float64 variances, before anything is rounded to T.
    inverse_roots(inverse_ + first, end - first, kernel_.epsilon);
    for (int64_t j = first; j < end; ++j) {
      mean_[j] = static_cast<T>(means_[j]);
      factor_[j] = static_cast<T>(inverse_[j] * scale_[j]);
      constant_[j] = static_cast<T>(offset_[j]);
    }
  }

  void write(int64_t tile, int64_t part) {
    alignas(64) T m[max_width], a[max_width], k[max_width], buffer[Pass<T>::buffer_size];
    this->spread(mean_, tile, m);
    this->spread(factor_, tile, a);
    this->spread(constant_, tile, k);
    g_.for_chunks(tile, part, [&](int64_t start, int64_t n) {
      g_.for_groups(start, n, g_.tile_width(tile), this->merges(tile),
                    [&](int64_t at, int64_t rows, int64_t wide, int64_t step) {
                      this->loops_.transform(x_.rows(at, rows, wide, step, buffer),
                                             y_.rows(at, wide, step, buffer), rows, wide, m, a, k);
                      y_.store(at, rows, wide, step, buffer);
                    });
    });
  }

  void end() {
    write_vector(means_, g_.c, outputs_[1]);
    write_vector(deviations_, g_.c, outputs_[2]);
  }

 private:
  using Pass<T>::g_;
  using Pass<T>::kernel_;
  const Source<T> x_;
  const Target<T> y_;
  const Operands outputs_;
  double *means_, *deviations_, *inverse_, *scale_, *offset_;
  T *mean_, *factor_, *constant_;
};

template <class T>
class BackwardPass : public Pass<T> {
 public:
  BackwardPass(const Normalize& kernel, Operands inputs, Operands outputs,
               const NormalizePrograms& programs)
      : Pass<T>(kernel, inputs, outputs, programs),
        x_(inputs[0]),
        dy_(inputs[3], &programs),
        dx_(outputs[0], &programs),
        outputs_(outputs) {
    const int64_t c = g_.c;
    Pieces pieces = this->reserve(2 * g_.parts + 2, 4);
    sums_ = pieces.take<double>(c * g_.parts);
    products_ = pieces.take<double>(c * g_.parts);
    inverse_ = pieces.take<double>(c);
    scale_ = pieces.take<double>(c);
    mean_ = pieces.take<T>(c);
    slope_ = pieces.take<T>(c);
    factor_ = pieces.take<T>(c);
    constant_ = pieces.take<T>(c);
    read_vector(&inputs[1], 0, c, scale_);
    for (int64_t j = 0; j < c; ++j) mean_[j] = static_cast<T>(scale_[j]);
    read_vector(&inputs[2], 0, c, inverse_);
    inverse_roots(inverse_, c, kernel.epsilon);
    read_vector(kernel.scale ? &inputs[4] : nullptr, 1, c, scale_);
  }

  void sum(int64_t tile, int64_t part) {
    alignas(64) T m[max_width];
    this->spread(mean_, tile, m);
    const int64_t at = part * g_.c + tile * g_.width;
    unit_products(g_, x_, dy_, tile, part, m, sums_ + at, products_ + at);
  }

  void finish(int64_t tile) {
    const int64_t first = tile * g_.width, end = first + g_.tile_width(tile);
    const double each = 1 / static_cast<double>(g_.count);
    for (int64_t j = first; j < end; ++j) {
      for (int64_t part = 1; part < g_.parts; ++part) {
        sums_[j] += sums_[part * g_.c + j];
        products_[j] += products_[part * g_.c + j];
      }
      const double v = inverse_[j], a = v * scale_[j];
      products_[j] *= v;  // now the sum of dy times the normalized x: the gradient of scale
      slope_[j] = static_cast<T>(-a * v * products_[j] * each);
      factor_[j] = static_cast<T>(a);
      constant_[j] = static_cast<T>(kernel_.centered ? -a * sums_[j] * each : 0);
    }
  }

  void write(int64_t tile, int64_t part) {
    alignas(64) T m[max_width], s[max_width], a[max_width], k[max_width];
    alignas(64) T some[Pass<T>::buffer_size], more[Pass<T>::buffer_size];
    this->spread(mean_, tile, m);
    this->spread(slope_, tile, s);
    this->spread(factor_, tile, a);
    this->spread(constant_, tile, k);
    g_.for_chunks(tile, part, [&](int64_t start, int64_t n) {
      g_.for_groups(start, n, g_.tile_width(tile), this->merges(tile),
                    [&](int64_t at, int64_t rows, int64_t wide, int64_t step) {
                      this->loops_.derive(x_.rows(at, rows, wide, step, some),
                                          dy_.rows(at, rows, wide, step, more),
                                          dx_.rows(at, wide, step, some), rows, wide, m, s, a, k);
                      dx_.store(at, rows, wide, step, some);
                    });
    });
  }

  void end() {
    if (kernel_.scale) write_vector(products_, g_.c, outputs_[1]);
    if (kernel_.offset) write_vector(sums_, g_.c, outputs_[kernel_.scale ? 2 : 1]);
  }

 private:
  using Pass<T>::g_;
  using Pass<T>::kernel_;
  const Source<T> x_, dy_;
  const Target<T> dx_;
  const Operands outputs_;
  double *sums_, *products_, *inverse_, *scale_;
  T *mean_, *slope_, *factor_, *constant_;
};

/// Results do not depend on which of the two ways is taken.
template <class P>
void run_pass(P pass, int64_t work, const NormalizePrograms& programs) {
  const Channels& g = pass.columns();
  // Tiles alone keep all threads busy when they divide evenly, or are many.
  const int threads = threads_for(work);
  if (g.tiles % threads == 0 || g.tiles >= 4 * threads) {
    // Tile by tile: the second reading finds in the caches what the first one left there.
    parallel_for(g.tiles, work, [&](int64_t begin, int64_t end) {
      programs.start();
      for (int64_t tile = begin; tile < end; ++tile) {
        for (int64_t part = 0; part < g.parts; ++part) pass.sum(tile, part);
        pass.finish(tile);
        // Backwards, since the caches hold the part that was read last.
        for (int64_t part = g.parts; part-- > 0;) pass.write(tile, part);
      }
    });
  } else {
    parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
      programs.start();
      for (int64_t unit = begin; unit < end; ++unit) pass.sum(unit % g.tiles, unit / g.tiles);
    });
    for (int64_t tile = 0; tile < g.tiles; ++tile) pass.finish(tile);
    parallel_for(g.units(), work, [&](int64_t begin, int64_t end) {
      programs.start();
      // Backwards: the caches hold the end.
      for (int64_t unit = end; unit-- > begin;) pass.write(unit % g.tiles, unit / g.tiles);
    });
  }
  pass.end();
}

}  // namespace

template <class T>
void channels_forward(const Normalize& kernel, Operands inputs, Operands outputs,
                      const NormalizePrograms& programs) {
  if (channel_count(*inputs[0].shape, kernel.block) == 0) return;
  run_pass(ForwardPass<T>(kernel, inputs, outputs, programs),
           inputs[0].shape->numel() * 2 + programs.work(), programs);
}

template <class T>
void channels_backward(const Normalize& kernel, Operands inputs, Operands outputs,
                       const NormalizePrograms& programs) {
  if (channel_count(*inputs[0].shape, kernel.block) == 0) return;
  run_pass(BackwardPass<T>(kernel, inputs, outputs, programs),
           inputs[0].shape->numel() * 3 + programs.work(), programs);
}

template void channels_forward<float>(const Normalize&, Operands, Operands,
                                      const NormalizePrograms&);
template void channels_forward<double>(const Normalize&, Operands, Operands,
                                       const NormalizePrograms&);
template void channels_backward<float>(const Normalize&, Operands, Operands,
                                       const NormalizePrograms&);
template void channels_backward<double>(const Normalize&, Operands, Operands,
                                        const NormalizePrograms&);

}  // namespace cornu::backend::cpu
