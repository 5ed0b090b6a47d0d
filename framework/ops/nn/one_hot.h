// Class numbers as vectors.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// A new last axis (or `axis`) of size num_classes with a one at x's value; all zeros where x is
/// out of range. float32 by default. Throws ValueError for a negative num_classes, UnsupportedError
/// for sparse results.
Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis = -1, OptionalDType dtype = {},
               bool sparse = false);
/// The same of numbers in braces: `one_hot({0, 2}, 3)`.
inline Tensor one_hot(std::initializer_list<int64_t> x, int64_t num_classes, int64_t axis = -1,
                      OptionalDType dtype = {}, bool sparse = false) {
  return one_hot(Tensor(std::vector<int64_t>(x)), num_classes, axis, dtype, sparse);
}
/// Which of num_classes occur in each row of class numbers: (n, k) -> (n, num_classes), (k) ->
/// (num_classes).
Tensor multi_hot(const Tensor& inputs, std::optional<int64_t> num_classes = {}, int64_t axis = -1,
                 OptionalDType dtype = {}, bool sparse = false);

}  // namespace cornu::ops
