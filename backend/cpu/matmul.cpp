// Matrix products: picks the code for the sizes and types, and walks the batch axes.
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>

#include "allocator.h"
#include "convert.h"
#include "kernels.h"
#include "onednn.h"
#include "parallel.h"
#include "small_matmul.h"

namespace cornu::backend::cpu {
namespace {

template <class T>
void fill_bias(const MatrixProduct<T>& p) {
  for (int64_t row = 0; row < p.m; ++row)
    for (int64_t column = 0; column < p.n; ++column)
      p.c[row * p.c_row + column] = p.bias != nullptr ? p.bias[column] : T(0);
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

// One matrix. The split over threads follows rows or columns of c, so that sums stay whole.
template <class T>
void multiply(const MatrixProduct<T>& p, int threads) {
  if (p.k == 0) return fill_bias(p);
  const int64_t work = p.m * p.n * p.k;
  if (work <= small_matmul_limit) return small_matmul(p);
  if constexpr (std::is_same_v<T, float>) {
    return onednn_matmul(p, std::min(threads, threads_for(work / multiplications_per_operation)));
  }
  if (threads == 1) return small_matmul(p);
  // Parts are multiples of 16 so that few tiles are cut.
  const bool by_rows = p.m >= p.n;
  const int64_t size = by_rows ? p.m : p.n;
  parallel_or_throw((size + 15) / 16, work / multiplications_per_operation,
                    [&](int64_t begin, int64_t end) {
                      MatrixProduct<T> part = p;
                      const int64_t first = begin * 16, count = std::min(end * 16, size) - first;
                      if (by_rows) {
                        part.m = count;
                        part.a += first * p.a_row;
                        part.c += first * p.c_row;
                      } else {
                        part.n = count;
                        part.b += first * p.b_column;
                        part.c += first;
                        if (part.bias != nullptr) part.bias += first;
                      }
                      small_matmul(part);
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

template <class T>
void multiply_all(const Matmul& kernel, const Shape& a_shape, const Shape& b_shape,
                  const Shape& out, const void* a, const void* b, const void* bias, void* c) {
  const int a_rank = a_shape.rank(), b_rank = b_shape.rank();
  const int64_t a_columns = a_shape[a_rank - 1], b_columns = b_shape[b_rank - 1];
  MatrixProduct<T> p{};
  p.m = out[out.rank() - 2];
  p.n = out[out.rank() - 1];
  p.k = kernel.transpose_a ? a_shape[a_rank - 2] : a_columns;
  p.a = static_cast<const T*>(a);
  p.a_row = kernel.transpose_a ? 1 : a_columns;
  p.a_column = kernel.transpose_a ? a_columns : 1;
  p.b = static_cast<const T*>(b);
  p.b_row = kernel.transpose_b ? 1 : b_columns;
  p.b_column = kernel.transpose_b ? b_columns : 1;
  p.bias = static_cast<const T*>(bias);
  p.c = static_cast<T*>(c);
  p.c_row = p.n;
  if (p.m == 0 || p.n == 0) return;
  if (out.rank() == 2 && a_rank == 2 && b_rank == 2) return multiply(p, threads());

  const Batch batch(a_shape, b_shape, out);
  if (batch.count == 0) return;
  const int64_t a_size = p.m * p.k, b_size = p.k * p.n, c_size = p.m * p.n;
  if (batch.count == 1) return multiply(p, threads());
  // All of a against one b: the rows of the whole batch are one matrix.
  if (!kernel.transpose_a && b_shape.numel() == b_size && a_shape.numel() == batch.count * a_size) {
    p.m *= batch.count;
    return multiply(p, threads());
  }
  const auto range = [&](int64_t begin, int64_t end, int team) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [a_index, b_index] = batch.at(i);
      MatrixProduct<T> part = p;
      part.a += a_index * a_size;
      part.b += b_index * b_size;
      part.c += i * c_size;
      multiply(part, team);
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

// An operand in the compute type: itself, or a copy.
class Converted {
 public:
  Converted(const Operand& operand, DType type) : data_(operand.data) {
    if (operand.dtype == type) return;
    const int64_t count = operand.shape->numel();
    copy_.emplace(std::max<size_t>(static_cast<size_t>(count) * size_of(type), 1));
    convert(operand.data, operand.dtype, copy_->data(), type, count);
    data_ = copy_->data();
  }
  const void* data() const { return data_; }

 private:
  const void* data_;
  std::optional<Scratch> copy_;
};

}  // namespace

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
