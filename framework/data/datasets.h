// Small data sets for examples and tests.
#pragma once
#include <cstdint>

#include "../tensor/tensor.h"

namespace cornu::datasets {

/// Inputs and targets; the first axis is samples.
struct Data {
  Tensor x;  ///< inputs
  Tensor y;  ///< targets
};

/// A data set cut in two.
struct Split {
  Data train;  ///< to fit
  Data test;   ///< to evaluate
};

/// 1,797 handwritten digits of 8x8 pixels: x (n, 8, 8, 1) float32 in [0, 1], y (n) int32 in [0, 9].
/// The digits are shuffled once and for all; 1,437 are for training and 360 for testing. They are
/// read from digits.npy, which comes with Cornu; throws FileError that lists the places looked at
/// when it is not there (set CORNU_DATA_DIR then). Source: E. Alpaydin, C. Kaynak, "Optical
/// Recognition of Handwritten Digits", UCI Machine Learning Repository.
Split digits();

/// Twenty standard normal numbers and their sum: x (samples, 20) and y (samples, 1), float32. Equal
/// seeds give equal data.
Data gaussians(int64_t samples, int64_t seed = 0);

}  // namespace cornu::datasets
