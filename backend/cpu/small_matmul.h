// Cornu's own matrix products: the small float32 ones, all of float64 and of the integers.
#pragma once
#include <cstdint>

namespace cornu::backend::cpu {

/// c (m, n) = a (m, k) x b (k, n) [+ bias (n)]. Strides count elements; one stride of a and one of
/// b is 1. Rows of c are contiguous. `a` and `b` may be null when k is 0.
template <class T>
struct MatrixProduct {
  int64_t m, n, k;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row, b_column;
  const T* bias;  ///< null: none
  T* c;
  int64_t c_row;
};

/// Runs in the calling thread. Each element is summed in an order that m, n, k and the strides
/// decide, so results repeat bit for bit, and a product may be split by rows or columns of c.
/// Integers wrap around. Nothing is allocated for up to small_matmul_limit multiplications, unless
/// both operands are transposed and b has more than 4096 elements.
void small_matmul(const MatrixProduct<float>& product);
void small_matmul(const MatrixProduct<double>& product);
void small_matmul(const MatrixProduct<uint32_t>& product);
void small_matmul(const MatrixProduct<uint64_t>& product);

/// Code for one kind of product.
using FloatProduct = void (*)(const MatrixProduct<float>& product);

/// What small_matmul would run for products of these sizes and strides, with a bias where this one
/// has one. The addresses do not matter.
FloatProduct small_matmul_code(const MatrixProduct<float>& product);

inline constexpr int64_t small_matmul_limit = 48 * 48 * 48;

}  // namespace cornu::backend::cpu
