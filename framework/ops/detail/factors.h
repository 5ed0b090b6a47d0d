// Factors of batches of matrices, for ops of linalg.
#pragma once
#include <initializer_list>

#include "../elementwise.h"

namespace cornu::detail {

Tensor transposed(const Tensor& x);
void check_matrix(const Tensor& x, const char* who, bool square);
Tensor real_of(const Tensor& x);
Shape batch_of(const Tensor& x);
/// The parts of x, of these shapes without the batch.
std::vector<Tensor> parts_of(const Tensor& x, const backend::Linalg& kernel,
                             std::initializer_list<Shape> shapes);
std::vector<Tensor> lu_parts(const Tensor& x);
std::vector<Tensor> svd_parts(const Tensor& x, bool full);
Tensor identity_like(const Tensor& x);
Tensor triangular_solution(const Tensor& a, const Tensor& b, bool lower);

}  // namespace cornu::detail
