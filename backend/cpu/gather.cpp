// Gather: picks slices or single elements by index. Elements are moved as bytes.
#include <cstring>

#include "indexing.h"
#include "kernels.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

// f.template operator()<bytes>() for the sizes worth a loop of their own, else <0>: any size.
template <class F>
void dispatch_run(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    case 12:  // pixels of three floats
      return f.template operator()<12>();
    case 16:
      return f.template operator()<16>();
    default:
      return f.template operator()<0>();
  }
}

// Output row o * count + i is row o * n + indices[i] of x, `run` bytes each.
template <int fixed, class Index>
void gather_rows(const char* x, const Index* indices, char* out, int64_t n, int64_t count,
                 int64_t run, int64_t begin, int64_t end) {
  const int64_t bytes = fixed > 0 ? fixed : run;
  int64_t o = begin / count, i = begin % count;
  for (int64_t row = begin; row < end; ++row) {
    std::memcpy(out + row * bytes, x + (o * n + clamped(indices[i], n)) * bytes,
                static_cast<size_t>(bytes));
    if (++i == count) {
      i = 0;
      ++o;
    }
  }
}

// Output (o, i, b) is element (o, indices(o, i, b), b) of x. Lanes are the pairs (o, b).
template <int size, class Index>
void gather_along(const char* x, const Index* indices, char* out, const IndexedAxes& axes,
                  int64_t begin, int64_t end) {
  for_each_lane_run(axes.inner, begin, end, [&](int64_t o, int64_t b0, int64_t b1) {
    const char* from = x + o * axes.n * axes.inner * size;
    for (int64_t i = 0; i < axes.count; ++i) {
      const int64_t row = (o * axes.count + i) * axes.inner;
      for (int64_t b = b0; b < b1; ++b)
        std::memcpy(out + (row + b) * size,
                    from + (clamped(indices[row + b], axes.n) * axes.inner + b) * size, size);
    }
  });
}

template <class Index>
void gather(const Gather& kernel, const Operand& x, const Index* indices, const IndexedAxes& axes,
            const Operand& output) {
  const char* from = static_cast<const char*>(x.data);
  char* to = static_cast<char*>(output.data);
  const int64_t size = static_cast<int64_t>(size_of(x.dtype));
  const int64_t total = axes.outer * axes.count * axes.inner;
  if (kernel.along) {
    dispatch_run(size, [&]<int fixed>() {
      if constexpr (fixed > 0)
        parallel_for(axes.outer * axes.inner, total, [&](int64_t begin, int64_t end) {
          gather_along<fixed>(from, indices, to, axes, begin, end);
        });
    });
    return;
  }
  dispatch_run(axes.inner * size, [&]<int fixed>() {
    parallel_for(axes.outer * axes.count, total, [&](int64_t begin, int64_t end) {
      gather_rows<fixed>(from, indices, to, axes.n, axes.count, axes.inner * size, begin, end);
    });
  });
}

}  // namespace

void run(const Gather& kernel, Operands inputs, Operands outputs) {
  const Operand& x = inputs[0];
  const Operand& indices = inputs[1];
  const IndexedAxes axes(*x.shape, *indices.shape, kernel.axis, kernel.along);
  if (axes.outer * axes.count * axes.inner == 0) return;
  if (axes.n == 0) {  // there is nothing to pick from
    std::memset(outputs[0].data, 0, outputs[0].bytes());
  } else if (indices.dtype == DType::int64) {
    gather(kernel, x, static_cast<const int64_t*>(indices.data), axes, outputs[0]);
  } else {
    gather(kernel, x, static_cast<const int32_t*>(indices.data), axes, outputs[0]);
  }
}

}  // namespace cornu::backend::cpu
