// Decompositions that tests make on one device or another, and what must hold for them.
#pragma once
#include <string>
#include <vector>

#include "array.h"

namespace cornu::backend::testing {

struct LinalgCase {
  std::string name;
  Linalg kernel;
  std::vector<Array> inputs;
};

/// Each op on single matrices and batches of several sizes, float32 and float64. Triangles that are
/// not to be read are NaN.
std::vector<LinalgCase> linalg_cases();

/// Arrays for the results.
std::vector<Array> linalg_outputs(const Linalg& kernel, const std::vector<Array>& inputs);

/// What is wrong with the results, which are compared by what they multiply to; "" if nothing.
std::string linalg_fault(const Linalg& kernel, const std::vector<Array>& inputs,
                         const std::vector<Array>& outputs);

/// Random numbers between -1 and 1, on the diagonals of the last two axes plus `diagonal`.
Array random_matrices(std::mt19937& generator, DType dtype, const Shape& shape,
                      double diagonal = 0);

}  // namespace cornu::backend::testing
