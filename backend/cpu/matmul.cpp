// Matrix products: picks the code for the sizes and types, and walks the batch axes.
#include "matmul.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "allocator.h"
#include "converted.h"
#include "few_rows_matmul.h"
#include "onednn.h"
#include "parallel.h"
#include "prepare.h"

namespace cornu::backend::cpu {
namespace {

template <class T>
void fill_bias(const MatrixProduct<T>& p) {
  for (int64_t row = 0; row < p.m; ++row)
    for (int64_t column = 0; column < p.n; ++column)
      p.c[row * p.c_row + column] = p.bias != nullptr ? p.bias[column] : T(0);
}

// Negative results become 0, NaN stays.
template <class T>
void cut_negative(const MatrixProduct<T>& p) {
  for (int64_t row = 0; row < p.m; ++row) {
    T* const c = p.c + row * p.c_row;
    for (int64_t column = 0; column < p.n; ++column)
      // Written so that a comparison with NaN, which is false, keeps it.
      c[column] = c[column] < T(0) ? T(0) : c[column];
  }
}

// c cut into blocks of `row_step` x `column_step`, and k into parts. Both depend on the sizes
// alone: oneDNN's sums depend on the sizes of the matrices that it is given.
struct Grid {
  int64_t row_step = 1, column_step = 1;
  int64_t rows = 1, columns = 1, depths = 1;

  int64_t blocks() const { return rows * columns; }

  template <class T>
  MatrixProduct<T> block(const MatrixProduct<T>& p, int64_t index) const {
    const int64_t row = index / columns * row_step, column = index % columns * column_step;
    MatrixProduct<T> part = p;
    part.m = std::min(row_step, p.m - row);
    part.n = std::min(column_step, p.n - column);
    part.a += row * p.a_row;
    part.b += column * p.b_column;
    part.c += row * p.c_row + column;
    if (p.bias != nullptr) part.bias += column;
    return part;
  }

  // Part `depth` of the sums.
  template <class T>
  MatrixProduct<T> slice(const MatrixProduct<T>& p, int64_t depth) const {
    const int64_t begin = p.k * depth / depths, end = p.k * (depth + 1) / depths;
    MatrixProduct<T> part = p;
    part.k = end - begin;
    part.a += begin * p.a_column;
    part.b += begin * p.b_row;
    return part;
  }
};

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// oneDNN packs both operands of each block anew. Measured with 105 GFLOP/s a thread against the
// whole: blocks of 128 x 144 take 0 to 5 % longer, but where k is 1024 and more up to 16 %; 512 x
// 144 0 to 4 %. So large products are cut into few blocks, and small ones into no smaller blocks.
Grid make_grid(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t tile_rows = 8, tile_columns = 16, least_blocks = 4, most_blocks = 64;
  // Multiplications of a block: long sums make packing dearer, so their blocks are larger.
  const int64_t block_work = (k < 1024 ? 32 : 64) * 1024 * 1024;
  const int64_t wanted = std::clamp(m * n * k / block_work, least_blocks, most_blocks);
  Grid grid;
  const auto cut = [](int64_t size, int64_t step, int64_t tile) {
    return divide_up(size, divide_up(size, step) * tile) * tile;
  };
  // Where n is small, b is packed fast, and a is read once anyway.
  for (int64_t row_step = std::clamp<int64_t>(n, 32, 128), column_step = 144;;) {
    grid.row_step = cut(m, row_step, tile_rows);
    grid.column_step = cut(n, column_step, tile_columns);
    grid.rows = divide_up(m, grid.row_step);
    grid.columns = divide_up(n, grid.column_step);
    if (grid.blocks() <= wanted) break;
    // Blocks stay near a shape of two rows per column, where packing both operands costs least.
    const bool taller = grid.columns == 1 || (grid.rows > 1 && row_step <= 2 * column_step);
    (taller ? row_step : column_step) *= 2;
  }
  // Few blocks of long sums.
  constexpr int64_t few_blocks = 4, least_depth = 2048, most_depths = 16;
  // Gradients of weights: small matrices whose sums run over all samples. Cutting k gives work to
  // more threads; the number of parts follows from sizes alone.
  if (grid.blocks() < few_blocks)
    grid.depths = std::clamp<int64_t>(k / least_depth, 1, most_depths / grid.blocks());
  return grid;
}

template <class T>
void multiply_block(const MatrixProduct<T>& p) {
  if constexpr (std::is_same_v<T, float>)
    onednn_matmul(p);
  else
    small_matmul(p);
}

// All parts of the sums but the first have results of their own, which are added up in order.
template <class T>
void multiply_depths(const MatrixProduct<T>& p, bool relu, const Grid& grid, int64_t work) {
  const int64_t others = grid.depths - 1, count = p.m * p.n;
  const Scratch scratch(static_cast<size_t>(others * count) * sizeof(T));
  T* const sums = static_cast<T*>(scratch.data());
  parallel_or_throw(grid.depths * grid.blocks(), work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t depth = i / grid.blocks();
      MatrixProduct<T> part = grid.slice(p, depth);
      if (depth > 0) {
        part.c = sums + (depth - 1) * count;
        part.c_row = p.n;
        // Added once, with the first part.
        part.bias = nullptr;
      }
      multiply_block(grid.block(part, i % grid.blocks()));
    }
  });
  parallel_for(p.m, count * others, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      // In the order of the parts, whichever thread finished first.
      for (int64_t other = 0; other < others; ++other) {
        const T* const from = sums + other * count + row * p.n;
        T* const to = p.c + row * p.c_row;
        for (int64_t column = 0; column < p.n; ++column) to[column] += from[column];
      }
  });
  // Only now are the sums whole.
  if (relu) cut_negative(p);
}

// One matrix.
template <class T>
void multiply(const MatrixProduct<T>& p, bool relu) {
  const int64_t work = p.m * p.n * p.k;
  if (work <= small_matmul_limit) {
    if (work == 0)
      fill_bias(p);
    else
      small_matmul(p);
    if (relu) cut_negative(p);
    return;
  }
  if constexpr (std::is_same_v<T, float>)
    if (p.m <= most_few_rows) {
      few_rows_matmul(p);
      if (relu) cut_negative(p);
      return;
    }
  const Grid grid = make_grid(p.m, p.n, p.k);
  if (grid.depths > 1) return multiply_depths(p, relu, grid, work / multiplications_per_operation);
  parallel_or_throw(grid.blocks(), work / multiplications_per_operation,
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const MatrixProduct<T> block = grid.block(p, i);
                        multiply_block(block);
                        if (relu) cut_negative(block);
                      }
                    });
}

// The batch axes of the operands against those of the output.
struct Batch {
  int64_t count = 1;
  int rank = 0;
  int64_t sizes[Shape::max_rank];
  int64_t a_strides[Shape::max_rank];  // in matrices; 0 where the operand has size 1
  int64_t b_strides[Shape::max_rank];

  static void fill_strides(const Shape& shape, int rank, int64_t* strides) {
    int64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int own = axis - rank + shape.rank() - 2;
      const int64_t size = own >= 0 ? shape[own] : 1;
      // A stride of 0 broadcasts the axis.
      strides[axis] = size == 1 ? 0 : stride;
      stride *= size;
    }
  }

  Batch(const Shape& a, const Shape& b, const Shape& out) : rank(out.rank() - 2) {
    for (int axis = 0; axis < rank; ++axis) count *= sizes[axis] = out[axis];
    fill_strides(a, rank, a_strides);
    fill_strides(b, rank, b_strides);
  }

  // The matrices that make up matrix `index` of the output.
  std::pair<int64_t, int64_t> at(int64_t index) const {
    int64_t a = 0, b = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int64_t position = index % sizes[axis];
      index /= sizes[axis];
      a += position * a_strides[axis];
      b += position * b_strides[axis];
    }
    return {a, b};
  }
};

// The product of one pair of matrices, without addresses.
template <class T>
MatrixProduct<T> describe(const Matmul& kernel, const Shape& a, const Shape& b, const Shape& out) {
  const int a_rank = a.rank();
  const int64_t a_columns = a.back(), b_columns = b.back();
  MatrixProduct<T> p{};
  p.m = out[out.rank() - 2];
  p.n = out[out.rank() - 1];
  p.k = kernel.transpose_a ? a[a_rank - 2] : a_columns;
  p.a_row = kernel.transpose_a ? 1 : a_columns;
  p.a_column = kernel.transpose_a ? a_columns : 1;
  p.b_row = kernel.transpose_b ? 1 : b_columns;
  p.b_column = kernel.transpose_b ? b_columns : 1;
  p.c_row = p.n;
  return p;
}

template <class T>
void multiply_all(const Matmul& kernel, const Shape& a_shape, const Shape& b_shape,
                  const Shape& out, const void* a, const void* b, const void* bias, void* c) {
  MatrixProduct<T> p = describe<T>(kernel, a_shape, b_shape, out);
  p.a = static_cast<const T*>(a);
  p.b = static_cast<const T*>(b);
  p.bias = static_cast<const T*>(bias);
  p.c = static_cast<T*>(c);
  if (p.m == 0 || p.n == 0) return;
  if (out.rank() == 2 && a_shape.rank() == 2 && b_shape.rank() == 2)
    return multiply(p, kernel.relu);

  const Batch batch(a_shape, b_shape, out);
  if (batch.count == 0) return;
  const int64_t a_size = p.m * p.k, b_size = p.k * p.n, c_size = p.m * p.n;
  if (batch.count == 1) return multiply(p, kernel.relu);
  // All of a against one b: the rows of the whole batch are one matrix.
  if (!kernel.transpose_a && b_shape.numel() == b_size && a_shape.numel() == batch.count * a_size) {
    // A Dense layer on (batch, time, features): one large product instead of many small ones.
    p.m *= batch.count;
    return multiply(p, kernel.relu);
  }
  const auto range = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [a_index, b_index] = batch.at(i);
      MatrixProduct<T> part = p;
      part.a += a_index * a_size;
      part.b += b_index * b_size;
      part.c += i * c_size;
      multiply(part, kernel.relu);
    }
  };
  // Whole matrices per thread, unless they are too few to keep all busy.
  const int64_t work = p.m * p.n * p.k;
  // Both ways give the same bits: multiply decides by the sizes of one matrix.
  if (work > small_matmul_limit && batch.count < 2 * threads())
    range(0, batch.count);
  else
    parallel_or_throw(batch.count, batch.count * work / multiplications_per_operation, range);
}

// One product of float32 matrices, whose code is known.
class PreparedProduct final : public Executable {
 public:
  PreparedProduct(const MatrixProduct<float>& product, const Matmul& kernel)
      : product_(product), bias_(kernel.bias), relu_(kernel.relu) {
    if (product.k == 0) return;
    // The code is chosen by whether there is a bias, before its address is known.
    static const float some = 0;
    if (bias_) product_.bias = &some;
    if (product.m * product.n * product.k <= small_matmul_limit)
      small_ = small_matmul_code(product_);
  }

  void run(void* const* data) override {
    product_.a = static_cast<const float*>(data[0]);
    product_.b = static_cast<const float*>(data[1]);
    if (bias_) product_.bias = static_cast<const float*>(data[2]);
    product_.c = static_cast<float*>(data[bias_ ? 3 : 2]);
    if (small_ == nullptr) return multiply(product_, relu_);
    small_(product_);
    if (relu_) cut_negative(product_);
  }

 private:
  MatrixProduct<float> product_;
  bool bias_, relu_;
  FloatProduct small_ = nullptr;
};

}  // namespace

void matrix_product(const MatrixProduct<float>& p) { multiply(p, false); }

std::unique_ptr<Executable> prepare(const Matmul& kernel, Operands inputs, Operands outputs) {
  for (const Operands& operands : {inputs, outputs})
    for (const Operand& operand : operands)
      // Other types need conversions, which run() does; there is no code to choose in advance.
      if (operand.dtype != DType::float32) return nullptr;
  const Shape &a = *inputs[0].shape, &b = *inputs[1].shape, &out = *outputs[0].shape;
  MatrixProduct<float> product = describe<float>(kernel, a, b, out);
  const int64_t a_size = product.m * product.k, b_size = product.k * product.n;
  const int64_t batch = Batch(a, b, out).count;
  if (batch == 0 || product.m == 0 || product.n == 0) return nullptr;
  if (batch > 1) {
    // All of a against one b, as in multiply_all.
    if (kernel.transpose_a || b.numel() != b_size || a.numel() != batch * a_size) return nullptr;
    product.m *= batch;
  }
  return std::make_unique<PreparedProduct>(product, kernel);
}

void run(const Matmul& kernel, Operands inputs, Operands outputs) {
  const Operand &a = inputs[0], &b = inputs[1], &out = outputs[0];
  const Operand* bias = kernel.bias ? &inputs[2] : nullptr;
  if (out.dtype == DType::float32 && a.dtype == DType::float32 && b.dtype == DType::float32 &&
      (bias == nullptr || bias->dtype == DType::float32))
    return multiply_all<float>(kernel, *a.shape, *b.shape, *out.shape, a.data, b.data,
                               bias != nullptr ? bias->data : nullptr, out.data);

  const DType type = compute_type(a.dtype, b.dtype, out.dtype);
  const Converted a_data(a, type), b_data(b, type);
  std::optional<Converted> bias_data;
  if (bias != nullptr) bias_data.emplace(*bias, type);
  const int64_t count = out.shape->numel();
  std::optional<Scratch> sums;
  if (out.dtype != type)
    sums.emplace(std::max<size_t>(static_cast<size_t>(count) * size_of(type), 1));
  void* const c = sums ? sums->data() : out.data;
  const auto go = [&]<class T>() {
    multiply_all<T>(kernel, *a.shape, *b.shape, *out.shape, a_data.data(), b_data.data(),
                    bias_data ? bias_data->data() : nullptr, c);
  };
  switch (type) {
    case DType::float32:
      go.operator()<float>();
      break;
    case DType::float64:
      go.operator()<double>();
      break;
    case DType::uint32:
      go.operator()<uint32_t>();
      break;
    default:
      go.operator()<uint64_t>();
  }
  if (sums) convert(c, type, out.data, out.dtype, count);
}

}  // namespace cornu::backend::cpu
