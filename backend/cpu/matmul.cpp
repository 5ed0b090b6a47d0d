// Matrix products: picks the code for the sizes and types, and walks the batch axes.
#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>

#include "allocator.h"
#include "converted.h"
#include "onednn.h"
#include "parallel.h"
#include "prepare.h"
#include "small_matmul.h"

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
      c[column] = c[column] < T(0) ? T(0) : c[column];
  }
}

// parallel_for for an f that may fail for want of memory.
template <class F>
void parallel_or_throw(int64_t count, int64_t work, F&& f) {
  std::mutex mutex;
  std::exception_ptr error;
  parallel_for(count, work, [&](int64_t begin, int64_t end) {
    try {
      f(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

// A multiplication costs less than the scalar operations that threads_for counts.
constexpr int64_t multiplications_per_operation = 5;

// c cut into `rows` x `columns` blocks, one for each thread.
struct Grid {
  int64_t rows = 1, columns = 1;
  int64_t row_step = 1, column_step = 1;  // rows and columns of c in a block

  int64_t count() const { return rows * columns; }

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
};

// Each thread reads the rows of a and the columns of b of its block: the squarer the blocks, the
// less is read twice. Blocks are whole register tiles.
Grid make_grid(int64_t m, int64_t n, int threads) {
  constexpr int64_t tile_rows = 8, tile_columns = 48;
  Grid best{1, 1, m, n};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows = 1; rows <= threads; ++rows) {
    const int64_t columns = threads / rows;
    const auto step = [](int64_t size, int64_t parts, int64_t tile) {
      return (size + parts * tile - 1) / (parts * tile) * tile;
    };
    const Grid grid{0, 0, step(m, rows, tile_rows), step(n, columns, tile_columns)};
    // Reading an element costs about as much as 16 multiplications.
    const int64_t cost = grid.row_step * grid.column_step + 16 * (grid.row_step + grid.column_step);
    if (cost >= least) continue;
    least = cost;
    best = {(m + grid.row_step - 1) / grid.row_step, (n + grid.column_step - 1) / grid.column_step,
            grid.row_step, grid.column_step};
  }
  return best;
}

template <class T>
void multiply_block(const MatrixProduct<T>& p, bool relu) {
  if constexpr (std::is_same_v<T, float>)
    onednn_matmul(p, 1);
  else
    small_matmul(p);
  if (relu) cut_negative(p);
}

int threads_of(int64_t m, int64_t n, int64_t k) {
  return threads_for(m * n * k / multiplications_per_operation);
}

template <class T>
void multiply(const MatrixProduct<T>& p, bool relu, const Grid& grid) {
  if (grid.count() == 1) return multiply_block(p, relu);
  parallel_or_throw(grid.count(), p.m * p.n * p.k / multiplications_per_operation,
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) multiply_block(grid.block(p, i), relu);
                    });
}

// One matrix. The split over threads follows rows and columns of c, so that sums stay whole.
template <class T>
void multiply(const MatrixProduct<T>& p, bool relu, int threads) {
  const int64_t work = p.m * p.n * p.k;
  if (work > small_matmul_limit)
    return multiply(p, relu, make_grid(p.m, p.n, std::min(threads, threads_of(p.m, p.n, p.k))));
  if (work == 0)
    fill_bias(p);
  else
    small_matmul(p);
  if (relu) cut_negative(p);
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
    return multiply(p, kernel.relu, threads());

  const Batch batch(a_shape, b_shape, out);
  if (batch.count == 0) return;
  const int64_t a_size = p.m * p.k, b_size = p.k * p.n, c_size = p.m * p.n;
  if (batch.count == 1) return multiply(p, kernel.relu, threads());
  // All of a against one b: the rows of the whole batch are one matrix.
  if (!kernel.transpose_a && b_shape.numel() == b_size && a_shape.numel() == batch.count * a_size) {
    p.m *= batch.count;
    return multiply(p, kernel.relu, threads());
  }
  const auto range = [&](int64_t begin, int64_t end, int team) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [a_index, b_index] = batch.at(i);
      MatrixProduct<T> part = p;
      part.a += a_index * a_size;
      part.b += b_index * b_size;
      part.c += i * c_size;
      multiply(part, kernel.relu, team);
    }
  };
  // Whole matrices per thread, unless they are too few to keep all busy.
  const int64_t work = p.m * p.n * p.k;
  if (work > small_matmul_limit && batch.count < 2 * threads())
    range(0, batch.count, threads());
  else
    parallel_or_throw(batch.count, batch.count * work / multiplications_per_operation,
                      [&](int64_t begin, int64_t end) { range(begin, end, 1); });
}

// One product of float32 matrices, whose code and split over threads are known.
class PreparedProduct final : public Executable {
 public:
  PreparedProduct(const MatrixProduct<float>& product, const Matmul& kernel)
      : product_(product), bias_(kernel.bias), relu_(kernel.relu) {
    if (product.k == 0) return;
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
    if (small_ == nullptr) return multiply(product_, relu_, threads());
    small_(product_);
    if (relu_) cut_negative(product_);
  }

 private:
  MatrixProduct<float> product_;
  bool bias_, relu_;
  FloatProduct small_ = nullptr;
};

}  // namespace

std::unique_ptr<Executable> prepare(const Matmul& kernel, Operands inputs, Operands outputs) {
  for (const Operands& operands : {inputs, outputs})
    for (const Operand& operand : operands)
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
