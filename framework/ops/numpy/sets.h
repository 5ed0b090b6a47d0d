// Tensors as sets.
#pragma once
#include "../condition.h"
#include "../op.h"

namespace cornu::ops {

/// The different elements of x, or slices along `axis`, in rising order, alone or in a list with,
/// on request, the index of the first occurrence of each (int32), for each element of x the index
/// of its equal (int32), and how often each occurs (int32). Without `size` the number of results is
/// read from the values: x must have some (UnsupportedError in a graph). With it the results are
/// cut or filled up to `size`: with fill_value (0), index 1 and count 0.
Nest unique(const Tensor& x, bool sorted = true, bool return_index = false,
            bool return_inverse = false, bool return_counts = false,
            std::optional<int64_t> axis = {}, std::optional<int64_t> size = {},
            std::optional<double> fill_value = {});
/// Whether each element of x1 is in x2 (is not, with `invert`).
Condition isin(const Tensor& x1, const Tensor& x2, bool assume_unique = false, bool invert = false);

}  // namespace cornu::ops
