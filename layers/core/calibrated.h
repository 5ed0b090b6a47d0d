// A kernel that GPTQ or AWQ has put into few bits.
#pragma once
#include "../../framework/quantizers/calibration.h"
#include "../layer_options.h"

namespace cornu::layers {

/// What calibration must know of a kernel.
struct CalibratedForm {
  /// The kernel as the matrix (features, channels) that files keep, turned; empty: there is none.
  Shape matrix = {};
  /// Whether the layer multiplies the last axes of its inputs, in their order, with the rows of
  /// that matrix, so that the inputs are samples of these features.
  bool rows_are_inputs = true;
  const char* zero_name = "kernel_zero";  ///< of the zero points' variable
};

/// A kernel of 2 to 8 bits with scales and zero points for groups of each channel's weights.
class CalibratedWeight {
 public:
  /// Adds the variables to the layer: kernel (channels, features), two numbers to a byte along the
  /// channels if they have 4 bits; kernel_scale and the zero points (channels, groups); awq_scales
  /// (features) for AWQ; g_idx (features). `policy` says how many bits and how large groups.
  CalibratedWeight(Layer& layer, const Shape& shape, const CalibratedForm& form,
                   const DTypePolicy& policy);

  /// Takes over numbers that check_calibrated has let pass.
  void assign(const CalibratedKernel& kernel);
  /// The kernel as floats, as the layer multiplies by it.
  Tensor dequantized(DType dtype) const;
  std::vector<Variable> variables() const;  ///< in the order of files

  Variable values,  ///< uint8
      scale,        ///< one for each group of each channel
      zero,         ///< likewise, uint8
      awq_scales,   ///< by which weights were multiplied; none for GPTQ
      groups;       ///< group of each feature: its whole part

 private:
  Shape shape_;
  int64_t channels_;
  bool packed_;
};

/// Throws ShapeError unless the tensors are those of a kernel (features, channels).
void check_calibrated(const CalibratedKernel& kernel, const Shape& matrix, int64_t group_size,
                      bool awq);

}  // namespace cornu::layers
