// Values of samples and their weights as two sums, of which metrics that are means consist.
#pragma once
#include "../tensor/tensor.h"

namespace cornu {

namespace detail {
/// t in this dtype. A number of the program's, which would yield to others' dtypes, keeps it then.
Tensor of_type(const Tensor& t, DType dtype);
}  // namespace detail

/// What a batch adds to a weighted mean.
struct WeightedSums {
  Tensor values;   ///< sum of the samples' values times their weights
  Tensor weights;  ///< sum of the samples' weights
};

/// The sums of values that are one for each sample, or several (further axes), which are averaged;
/// `sample_weight` has an element for each sample or for each of the first axes' values, and counts
/// with its mean over a sample. Both are cast to `dtype`. Throws ShapeError for weights that do not
/// fit.
WeightedSums samplewise_sums(const Tensor& values, const Tensor& sample_weight, DType dtype);

}  // namespace cornu
