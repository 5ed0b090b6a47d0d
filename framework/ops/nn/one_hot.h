// Class numbers as vectors.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// A new last axis (or `axis`) of size num_classes with a one at x's value; all zeros where x is
/// out of range. float32 by default. Throws UnsupportedError for sparse results.
Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis = -1, OptionalDType dtype = {},
               bool sparse = false);
/// Which of num_classes occur in each row of class numbers: (n, k) -> (n, num_classes), (k) ->
/// (num_classes).
Tensor multi_hot(const Tensor& inputs, std::optional<int64_t> num_classes = {}, int64_t axis = -1,
                 OptionalDType dtype = {}, bool sparse = false);

}  // namespace cornu::ops
