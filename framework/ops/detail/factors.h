// Factors of batches of matrices, for ops of linalg.
#pragma once
#include <initializer_list>

#include "../elementwise.h"

namespace cornu::detail {

/// The last two axes exchanged.
Tensor transposed(const Tensor& x);
/// Throws ShapeError unless x is a matrix, or a square one.
void check_matrix(const Tensor& x, const char* who, bool square);
/// x as a float that Linalg computes with.
Tensor real_of(const Tensor& x);
/// The axes before the last two.
Shape batch_of(const Tensor& x);
/// The parts of x, of these shapes without the batch.
std::vector<Tensor> parts_of(const Tensor& x, const backend::Linalg& kernel,
                             std::initializer_list<Shape> shapes);
/// {lu, pivots}.
std::vector<Tensor> lu_parts(const Tensor& x);
/// {u, s, v'}.
std::vector<Tensor> svd_parts(const Tensor& x, bool full);
/// Identities of x's shape.
Tensor identity_like(const Tensor& x);
/// y with a y = b for a triangular a.
Tensor triangular_solution(const Tensor& a, const Tensor& b, bool lower);

}  // namespace cornu::detail
